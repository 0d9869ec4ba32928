/* SPDX-License-Identifier: MIT */
/*
 * join.pml - a group is created while producers have a cached low, or are in
 * the middle of computing one
 *
 * Group 0 is exclusive and there from the start (with -DNOGROUP it is not, and
 * nothing holds producers back). A joiner adds group 1 at the oldest (with
 * -DLATEST at the newest); with -DREUSE group 0 is dropped first, and group 1
 * takes its place. NPR producers, C slots, MAXP positions.
 *
 * As group.c: which groups hold producers back is one word, read once, before
 * the cursors. Without a group the first low is cut to what the claim needs and
 * an eighth of the capacity.
 *
 * A producer whose low was raised notes what a group has passed since it began,
 * from start to cursor (group.c:hli_groups_passed()): such slots are settled,
 * and it does not look at their stamps. start is 0 while a group is being made,
 * and gen, one more with each group, is read before and after.
 *
 *   -DORIG        a single scan; the joiner starts at low, or at head
 *   -DORIG_INF    without groups a producer remembers "no limit"
 *   -DMUT_NOREAD  the joiner does not read announced again
 *   -DMUT_READ1   the joiner reads announced again before it is active
 *   -DMUT_SCAN1   the producer does not scan again
 *   -DMUT_LAP     a producer does not look at the slot's stamp
 *   -DMUT_FROM    what lies below a group's cursor counts as passed by it
 *   -DMUT_ZERO    start stands while a new group takes the place
 *   -DMUT_GEN     gen is not looked at
 *   -DMUT_CUT     without a group low is not cut: the joiner finds less than
 *                 7/8 of the capacity
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
byte start[2], gen[2];
#define ALLDONE (pdone[0] PD1)
#if NPR>1
#define PD1 && pdone[1]
#else
#define PD1
#endif
#ifdef ORIG
#define SCAN(l) l=head; \
  if :: atomic { act[0] -> c=1 } atomic { if :: cursor[0]<l -> l=cursor[0] :: else fi; c=0 } :: !act[0] fi; \
  if :: atomic { act[1] -> c=1 } atomic { if :: cursor[1]<l -> l=cursor[1] :: else fi; c=0 } :: !act[1] fi
#else
/* c: the word active, as read */
#define SCAN(l) l=head; atomic { c=act[0]+2*act[1] } \
  if :: c&1 -> atomic { if :: cursor[0]<l -> l=cursor[0] :: else fi } :: else fi; \
  if :: c&2 -> atomic { if :: cursor[1]<l -> l=cursor[1] :: else fi } :: else fi
#endif
#ifdef MUT_GEN
#define SAME(g) 1
#else
#define SAME(g) (gen[g]==n)
#endif
#ifdef MUT_FROM
#define FROM(s) 1
#else
#define FROM(s) s
#endif
/* what group g has passed, if it is all that a claim of h needs */
#define PASSED(g) \
  if :: act[g] -> \
       n=gen[g]; s=start[g]; l=cursor[g]; \
       atomic { if :: SAME(g) && s && FROM(s)+C<=h && l>pt -> pf=FROM(s); pt=l :: else fi; n=0; s=0; l=0 } \
  :: else fi
proctype Prod(byte me) {
  byte h, low=1, l, c, s, n, pf, pt;
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
#ifndef MUT_CUT
        atomic { if :: c==0 && l+C>h+1+C/8 -> l=(h+1+C/8>C -> h+1+C/8-C : 0) :: else fi };
#endif
        atomic { if :: l>ann -> ann=l :: else fi; low=l };
#ifndef MUT_SCAN1
        SCAN(l);
#endif
        if :: l<low -> low=l :: else fi;
#endif
        atomic { l=0; c=0 };
        if :: h>=low+C -> 
             if
             :: head!=h
             :: (!act[0] || cursor[0]>low) && (!act[1] || cursor[1]>low)
             fi; h=0; goto again
        :: else fi
     :: else
     fi;
#ifndef MUT_LAP
     if
     :: h<pf+C || h>=pt+C ->
        atomic { pf=0; pt=0 };
        if :: h>C -> PASSED(0); PASSED(1) :: skip fi   /* low was raised since */
     :: else
     fi;
     if
     :: h>=pf+C && h<pt+C
     :: else -> s=stamp[SLOT(h)]; if :: h>C && s!=h-C -> s=0; h=0; goto again :: else s=0 fi
     fi;
#endif
     atomic { if :: head==h -> head=h+1 :: else -> h=0; goto again fi }
     atomic { body[SLOT(h)]=h; if :: pt<=h+1-C -> pf=0; pt=0 :: else fi };
     atomic { assert(stamp[SLOT(h)]<h); assert(body[SLOT(h)]==h); stamp[SLOT(h)]=h }
again: h=0
  od;
  atomic { pdone[me]=1; low=0; pf=0; pt=0 }
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
#ifndef MUT_ZERO
  start[G]=0;
#endif
  gen[G]=gen[G]+1;
  cursor[G]=e;
#ifdef MUT_READ1
  e=ann;
  act[G]=1;
#else
  act[G]=1;
#ifndef MUT_NOREAD
  e=ann;
#endif
#endif
  atomic { if :: e>cursor[G] -> cursor[G]=e :: else fi; e=0 };
  start[G]=cursor[G];
#if defined(NOGROUP) && !defined(LATEST)
  assert(head<=C || head>=cursor[G]+C-C/8-1); /* all but what the claim needs */
#endif
#endif
  CONSUME(G,(ALLDONE && cursor[G]==head));
out: skip
}
init { atomic {
#ifndef NOGROUP
  act[0]=1; start[0]=1; run Group0();
#endif
  run Prod(0);
#if NPR>1
  run Prod(1);
#endif
  run Joiner() } }
