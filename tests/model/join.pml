/* SPDX-License-Identifier: MIT */
/* join.pml - a group is created while producers hold a cached low, or are in the middle of computing one.
 * Group 0 is exclusive and always there (absent with -DNOGROUP: "nothing holds producers back").
 * A joiner adds group 1 at `earliest` (default) or `latest` (-DLATEST); with -DREUSE group 0 is first dropped
 * and group 1 takes its slot.  NPR producers, C slots, MAXP positions.
 *   default     producer: scan, announce max, scan again, use the smaller; without groups low := head seen;
 *               joiner: register cursor=announced (or head), then read announced, start at the larger
 *   -DORIG      single scan; joiner registers at low (earliest) / head (latest)
 *   -DORIG_INF  without groups a producer remembers "no limit"
 */
#ifndef C
#define C 2
#endif
#ifndef MAXP
#define MAXP 5
#endif
#ifndef NPR
#define NPR 2
#endif
#define SLOT(p) (((p)-1)%C)
byte head=1, ann=1, stamp[C], body[C], cursor[2]=1; bit act[2]; bit pdone[NPR];
#define ALLDONE (pdone[0] PD1)
#if NPR>1
#define PD1 && pdone[1]
#else
#define PD1
#endif
#define SCAN(l) l=head; \
  if :: atomic { act[0] -> c=1 } atomic { if :: cursor[0]<l -> l=cursor[0] :: else fi; c=0 } :: !act[0] fi; \
  if :: atomic { act[1] -> c=1 } atomic { if :: cursor[1]<l -> l=cursor[1] :: else fi; c=0 } :: !act[1] fi
proctype Prod(byte me) {
  byte h, low=1, l, c, s;
  do
  :: h=head;
     if :: h>MAXP -> break :: else fi;
#ifdef ORIG_INF
     if :: atomic { !act[0] && !act[1] -> low=100 } :: else fi;
#endif
     if
     :: h>=low+C ->
        SCAN(l);
#ifdef ORIG
        low=l;
#else
        atomic { if :: l>ann -> ann=l :: else fi; low=l }
        SCAN(l);
        if :: l<low -> low=l :: else fi;
#endif
        l=0;
        if :: h>=low+C -> 
             if
             :: head!=h
             :: (!act[0] || cursor[0]>low) && (!act[1] || cursor[1]>low)
             fi; h=0; goto again
        :: else fi
     :: else
     fi;
     s=stamp[SLOT(h)]; if :: h>C && s!=h-C -> s=0; h=0; goto again :: else s=0 fi;
     atomic { if :: head==h -> head=h+1 :: else -> h=0; goto again fi }
     body[SLOT(h)]=h;
     atomic { assert(stamp[SLOT(h)]<h); stamp[SLOT(h)]=h }
again: h=0
  od;
  atomic { pdone[me]=1; low=0 }
}
bit dropped;
#define CONSUME(g,stop) \
  do \
  :: stop -> break \
  :: stamp[SLOT(cursor[g])]>=cursor[g] -> \
     atomic { assert(stamp[SLOT(cursor[g])]==cursor[g]); assert(body[SLOT(cursor[g])]==cursor[g]) } \
     atomic { assert(body[SLOT(cursor[g])]==cursor[g]) } \
     cursor[g]=cursor[g]+1 \
  od
proctype Group0() {
#ifdef REUSE
  CONSUME(0,1);
  act[0]=0;
  dropped=1
#else
  CONSUME(0,(ALLDONE && cursor[0]==head))
#endif
}
#ifdef REUSE
#define G 0
#else
#define G 1
#endif
proctype Joiner() {
  byte e, l, c;
#ifdef REUSE
  dropped;
#endif
  do :: skip -> break :: ALLDONE -> goto out od;
#ifdef ORIG
#ifdef LATEST
  e=head;
#else
  SCAN(l); e=l; l=0;
#endif
  cursor[G]=e;
  act[G]=1;
#else
#ifdef LATEST
  e=head;
#else
  e=ann;
#endif
  cursor[G]=e;
  act[G]=1;
  e=ann;
  atomic { if :: e>cursor[G] -> cursor[G]=e :: else fi; e=0 }
#endif
  CONSUME(G,(ALLDONE && cursor[G]==head));
out: skip
}
init { atomic {
#ifndef NOGROUP
  act[0]=1; run Group0();
#endif
  run Prod(0);
#if NPR>1
  run Prod(1);
#endif
  run Joiner() } }
