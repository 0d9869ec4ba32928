/* SPDX-License-Identifier: MIT */
/*
 * evict.pml - a living member of a shared group is evicted by force
 *
 * A producer sends MAXP messages into C slots. A member takes them; an
 * operator evicts it at any moment and gives what it has in hand to its group,
 * as the range of a dead record of the operator's own (admin.c:hand_over()).
 * The other member adopts it, and goes when the group is drained. The evicted
 * one finds out at its next take or done, and leaves.
 *
 * Asserted: when the other member finds the group drained, each message was
 * finished by somebody; the other member's slots are not overwritten while it
 * uses them. Waiting for ever is an invalid end state.
 *
 * Of announced and acted there is acted alone, as in ring.pml.
 *
 * Records: 0, 1 the evicted, 2. A scan reads them in this order.
 *
 *   default         the run goes to a record above the evicted one's, and the
 *                   evicted range is emptied by a CAS from what was handed over
 *   -DORIG_LOWER     it goes to a record below: a scan between the two stores
 *                   sees neither range
 *   -DORIG_EMPTY     the range is emptied, whatever is in it by now
 *   -DMUT_FIRST     the range is emptied before the other one stands
 */
#ifndef C
#define C 1
#endif
#ifndef MAXP
#define MAXP 2
#endif
#ifndef VOIDAT
#define VOIDAT 0              /* a position that is void */
#endif
#define SLOT(p) (((p)-1)%C)
#define FREE 0
#define LIVE 1
#define DEAD 2
#define EVICTED 3
#define V 64
#ifdef ORIG_LOWER
#define OTHER 2
#define GIVEN 0
#else
#define OTHER 0
#define GIVEN 2
#endif
byte head=1, tail=1, acted=1, stamp[C], body[C];
byte st[3], lk[3], from[3]=1, to[3]=1;
bit comp[MAXP+2], pdone, odone;

#define NONEMPTY(r) (from[r]<to[r])
#define RDY(p) (stamp[SLOT(p)]==(p) || stamp[SLOT(p)]==V+(p))
#define MINE(r,x,l) x=from[r]; atomic { if :: x<to[r] && x<l -> l=x :: else fi; x=0 }
#define SCAN(l) l=head; atomic { if :: tail<l -> l=tail :: else fi } \
	MINE(0,x,l); MINE(1,x,l); MINE(2,x,l)

active proctype Prod() {
  byte h, l, low, x;
  do
  :: head>MAXP -> break
  :: else ->
     h=head;
     if
     :: h>=low+C ->
        SCAN(l);
        atomic { if :: l>acted -> acted=l :: else fi; low=l };
        SCAN(l);
        atomic { if :: l<low -> low=l :: else fi; l=0 }
     :: else
     fi;
     if
     :: h>=low+C ->                /* full: till a scan would give more */
        (tail>low && (!NONEMPTY(0) || from[0]>low) &&
         (!NONEMPTY(1) || from[1]>low) && (!NONEMPTY(2) || from[2]>low))
     :: else ->
        head=h+1;
        body[SLOT(h)]=h;
        stamp[SLOT(h)]=(h==VOIDAT -> V+h : h)
     fi;
     h=0
  od;
  pdone=1
}

/* The one that is evicted: record 1. */
active proctype Member() {
  byte t, s; bit ok;
take:
  if :: st[1]!=LIVE -> goto leave :: else fi;
more:
  t=tail;
  s=stamp[SLOT(t)];
  if
  :: s!=t && s!=V+t ->
     if
     :: RDY(tail) -> goto more
     :: pdone && tail==head -> goto leave
     :: st[1]!=LIVE -> goto leave
     fi
  :: else
  fi;
  from[1]=t;
  to[1]=t+1;
  atomic { if :: tail==t -> tail=t+1; ok=1 :: else -> ok=0 fi };
  if :: !ok -> from[1]=to[1]; goto more :: else fi;
  if :: s==V+t -> atomic { comp[t]=1; from[1]=t+1 }; goto more :: else fi;
  /* in use; done() */
  if :: st[1]!=LIVE -> goto given :: else fi;
  atomic { from[1]=t+1; comp[t]=1 };
  goto take;
given:
  st[1]=DEAD;
  lk[1]=0;
  goto out;
leave:
  from[1]=to[1];
  st[1]=FREE;
  lk[1]=0;
out: skip
}

/* admin.c:force_out(), with the control byte held throughout. */
active proctype Operator() {
  byte b, e; bit ok;
  if :: skip :: goto out fi;
  atomic { if :: st[1]==LIVE -> st[1]=EVICTED :: else -> goto out fi };
again:
  b=from[1];
  e=to[1];
  if :: b>=e -> goto out :: else fi;
  if :: st[GIVEN]!=FREE -> goto out :: else fi;  /* it gave one already */
  lk[GIVEN]=3;
#ifdef MUT_FIRST
  from[1]=to[1];
#endif
  from[GIVEN]=b;
  to[GIVEN]=e;
  st[GIVEN]=LIVE;
  st[GIVEN]=DEAD;
#if defined(ORIG_EMPTY)
  b=to[1];
  from[1]=b;
#elif !defined(MUT_FIRST)
  atomic { if :: from[1]==b -> from[1]=e :: else fi };
#endif
  lk[GIVEN]=0;
out: odone=1
}

#define ADOPTABLE(r) (st[r]!=FREE && lk[r]==0)
#define LOWOF(r) if \
	:: st[r]==FREE -> skip \
	:: else -> x=from[r]; atomic { if :: x<to[r] && x<l -> l=x :: else fi; x=0 } \
	fi

active proctype Other() {
  byte t, s, v, l, x, r; bit ok;
take:
  t=tail;
  s=stamp[SLOT(t)];
  if
  :: s==t || s==V+t ->
     from[OTHER]=t;
     to[OTHER]=t+1;
     atomic { if :: tail==t -> tail=t+1; ok=1 :: else -> ok=0 fi };
     if :: !ok -> from[OTHER]=to[OTHER]; goto take :: else fi;
     if
     :: s==t -> assert(body[SLOT(t)]==t); assert(body[SLOT(t)]==t)
     :: else
     fi;
     atomic { from[OTHER]=t+1; comp[t]=1 };
     goto take
  :: else
  fi;
  if
  :: RDY(tail) -> goto take
  :: atomic { ADOPTABLE(1) -> r=1 }
  :: atomic { ADOPTABLE(GIVEN) -> r=GIVEN }
  :: !RDY(tail) && pdone && tail==head -> goto drained
  fi;
  atomic { if :: lk[r]==0 -> lk[r]=2 :: else -> goto take fi };
  if :: st[r]==FREE -> lk[r]=0; goto take :: else fi;
  st[r]=DEAD;
  do
  :: from[r]<to[r] ->
     t=from[r];
     v=acted;
     if
     :: t>=v && stamp[SLOT(t)]==t ->
        assert(body[SLOT(t)]==t); assert(body[SLOT(t)]==t); comp[t]=1
     :: else
     fi;
     from[r]=t+1
  :: else -> break
  od;
  st[r]=FREE;
  lk[r]=0;
  goto take;
drained:                           /* group.c:hli_group_low() */
  l=tail;
  LOWOF(0); LOWOF(1); LOWOF(2);
  if
  :: l>=head ->
     atomic { t=1; do :: t<head -> assert(comp[t] || t==VOIDAT); t++ :: else -> break od }
  :: else ->                       /* somebody will move */
     (ADOPTABLE(1) || ADOPTABLE(GIVEN) || (!NONEMPTY(1) && !NONEMPTY(GIVEN)));
     goto take
  fi
}

init { atomic {
  st[1]=LIVE; lk[1]=1; st[OTHER]=LIVE; lk[OTHER]=2
} }
