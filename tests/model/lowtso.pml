/* SPDX-License-Identifier: MIT */
/*
 * lowtso.pml - the store-load pairs of low, under store buffers
 *
 *   producer: scan; announced := max; FENCE; scan again; use the smaller
 *   joiner:   group active; FENCE; read announced
 *
 * The pair of acted, of producer and adopter, has the same form, and here the same
 * variable:
 *
 *   producer: scan; acted := max; FENCE; scan again; use the smaller
 *   adopter:  a dead member's range; FENCE; read acted
 *
 * What a process stores for the others stands in its store buffer until the
 * machine commits it, a fence, or its CAS of head or tail; a raise of announced
 * and of active too, since C11's acq_rel does not order them before a later
 * load. The raise of announced is a maximum when it commits.
 *
 *   default     a group joins, at the oldest (-DLATEST: at the newest)
 *   -DADOPT     ann is acted: a member dies with a range from an old tail, and
 *               another adopts it
 *   -DMUT_PFENCE     no fence between the raise and the second scan
 *   -DMUT_JFENCE     no fence between active and announced, of a joiner
 *   -DMUT_SCAN1      the producer does not scan again
 *   -DMUT_RAISEDLOAD announced was high enough, and its load comes after those
 *                    of the second scan, which a fence would forbid
 *   -DMUT_AFENCE     the adopter's load of acted is from before the death.
 *                    (TSO keeps loads in order, and to get the dead one's byte
 *                    is a system call: the fence is C11's, the order is this)
 */
#ifndef C
#define C 2
#endif
#ifndef MAXP
#define MAXP 4
#endif
#ifndef NPR
#define NPR 2
#endif
#define SLOT(p) (((p)-1)%C)
byte head=1, ann=1, act, cursor=1, stamp[C], body[C];
byte from[2]=1, to[2]=1;               /* members: 0 lives, 1 dies */
bit pdone[2];
byte bann[2];                          /* producers' buffers: a raise */
byte bcur, bact, bfrom, bto, bfull;    /* the joiner's, or the dying one's */
#if NPR>1
#define ALLDONE (pdone[0] && pdone[1])
#else
#define ALLDONE pdone[0]
#endif

#define FLUSHP(me) if :: bann[me]>ann -> ann=bann[me] :: else fi; bann[me]=0
#define FLUSHJ if :: bcur!=0 -> cursor=bcur; bcur=0 :: else fi; \
	if :: bact -> act=1; bact=0 :: else fi; \
	if :: bfrom!=0 -> from[1]=bfrom; bfrom=0 :: else fi; \
	if :: bto!=0 -> to[1]=bto; bto=0 :: else fi

active proctype Machine() {            /* oldest entry first */
end:
  do
  :: atomic { bann[0]!=0 -> FLUSHP(0) }
#if NPR>1
  :: atomic { bann[1]!=0 -> FLUSHP(1) }
#endif
  :: atomic { bcur!=0 -> cursor=bcur; bcur=0 }
  :: atomic { bact!=0 && bcur==0 -> act=1; bact=0 }
  :: atomic { bfrom!=0 -> from[1]=bfrom; bfrom=0 }
  :: atomic { bto!=0 && bfrom==0 -> to[1]=bto; bto=0 }
  od
}

#ifdef ADOPT
#define RANGE(r,l) s=from[r]; atomic { if :: s<to[r] && s<l -> l=s :: else fi; s=0 }
#define SCAN(l) l=head; a=act; \
	if :: a -> atomic { if :: cursor<l -> l=cursor :: else fi }; RANGE(0,l); RANGE(1,l) :: else fi
#define ROOM(low) (!act || (cursor>low && (from[0]>=to[0] || from[0]>low) && (from[1]>=to[1] || from[1]>low)))
#else
#define SCAN(l) l=head; a=act; \
	if :: a -> atomic { if :: cursor<l -> l=cursor :: else fi } :: else fi
#define ROOM(low) (!act || cursor>low)
#endif

proctype Prod(byte me) {
  byte h, low=1, l, s; bit a, raised;
  do
  :: h=head;
     if :: h>MAXP -> break :: else fi;
     if
     :: h>=low+C ->
        SCAN(l);
        if :: !a && l>h+1+C/8-C -> l=h+1+C/8-C :: else fi;
        low=l;
#ifdef MUT_RAISEDLOAD
        if
        :: ann<low -> bann[me]=low; atomic { FLUSHP(me) }; SCAN(l)
        :: SCAN(l); if :: ann<low -> low=0 :: else fi  /* guessed wrong */
        fi;
#else
        atomic { if :: ann<low -> bann[me]=low :: else fi };
#ifndef MUT_PFENCE
        atomic { FLUSHP(me) };
#endif
#ifndef MUT_SCAN1
        SCAN(l);
#endif
#endif
        atomic { if :: l<low -> low=l :: else fi; l=0; a=0 };
        if
        :: h>=low+C ->
           atomic { FLUSHP(me) };      /* it waits for good */
           if
           :: head!=h
           :: ROOM(low)
           fi;
           h=0; goto again
        :: else
        fi
     :: else
     fi;
     s=stamp[SLOT(h)];
     atomic { if :: h>C && s!=h-C -> s=0; h=0; goto again :: else s=0 fi };
     atomic { if :: head==h -> head=h+1; FLUSHP(me) :: else -> h=0; goto again fi };
     body[SLOT(h)]=h;
     stamp[SLOT(h)]=h;
again: h=0
  od;
  atomic { FLUSHP(me); pdone[me]=1; low=0 }
}

#define USE(p) \
	atomic { assert(stamp[SLOT(p)]==p); assert(body[SLOT(p)]==p) }; \
	atomic { assert(body[SLOT(p)]==p) }

#ifndef ADOPT
active proctype Joiner() {
  byte e;
  do :: skip -> break :: ALLDONE -> goto out od;
#ifdef LATEST
  e=head;
#else
  e=ann;
#endif
  bcur=e;
  bact=1;
#ifndef MUT_JFENCE
  atomic { FLUSHJ };
#endif
  e=ann;
  atomic { FLUSHJ; if :: e>cursor -> cursor=e :: else fi; e=0 };
  do
  :: ALLDONE && cursor==head -> break
  :: stamp[SLOT(cursor)]>=cursor -> USE(cursor); cursor=cursor+1
  od;
out: skip
}
#else
bit ddone;
active proctype Dying() {
  byte t;
  if :: skip :: goto dead fi;
  t=cursor;                            /* the group's tail */
  if :: stamp[SLOT(t)]!=t -> goto dead :: else fi;
  bfrom=t;
  bto=t+1;
  if :: skip :: goto dead fi;
  atomic { FLUSHJ; if :: cursor==t -> cursor=t+1 :: else fi };
dead: atomic { FLUSHJ; ddone=1; t=0 }
}
active proctype Member() {
  byte t, v; bit ok, adopted, early;
  do
  :: cursor==head && ALLDONE && ddone && adopted -> break
  :: stamp[SLOT(cursor)]>=cursor ->
     t=cursor;
     if :: stamp[SLOT(t)]!=t -> t=0; goto again :: else fi;
     from[0]=t;
     to[0]=t+1;
     atomic { if :: cursor==t -> cursor=t+1; ok=1 :: else -> ok=0 fi };
     if :: ok -> USE(t) :: else fi;
     atomic { from[0]=to[0]; ok=0; t=0 };
again: skip
#ifdef MUT_AFENCE
  :: !early -> v=ann; early=1
  :: ddone && !adopted && early ->
#else
  :: ddone && !adopted ->
#endif
     t=from[1];
     ok=(t<to[1]);
#ifndef MUT_AFENCE
     v=ann;
#endif
     if
     :: ok && t>=v && stamp[SLOT(t)]==t -> USE(t)
     :: else
     fi;
     atomic { from[1]=to[1]; adopted=1; t=0; v=0; ok=0 }
  od
}
#endif

init { atomic {
#ifdef ADOPT
  act=1;
#endif
  run Prod(0);
#if NPR>1
  run Prod(1)
#endif
} }
