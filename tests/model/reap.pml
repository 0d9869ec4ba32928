/* SPDX-License-Identifier: MIT */
/*
 * reap.pml - the life of one record: owners that die, two that reap
 *
 * OWNERS participants, one after the other, have the record; each claims a
 * position and publishes it, and dies at any step (KILLS) or leaves. Two
 * reapers look for the dead; one of them may die (KILLR).
 *
 * Asserted: nothing is done to a record whose owner lives, and no position is
 * voided that its producer lives to publish; each claimed position is settled
 * once. That somebody waits for that for ever is an invalid end state.
 *
 *   -DMUT_NOLOCK   a reaper looks whether the byte is free, and does not take it
 *   -DMUT_FREELAST the byte is given back before FREE is stored
 *   -DMUT_UNLOCK   the byte is given back before the range is recovered
 *   -DMUT_RANGE1   the range is read before the byte is taken
 *   -DMUT_FREE1    FREE is stored before the range is recovered
 *   -DMUT_STATE    the state is not read again under the byte. This holds: a
 *                  FREE record's range is empty, and nobody joins without the
 *                  byte. What it saves is a look, and a false count.
 *   -DMUT_JOIN     the same of a newcomer
 */
#ifndef OWNERS
#define OWNERS 2
#endif
#ifndef KILLS
#define KILLS 2
#endif
#ifndef KILLR
#define KILLR 1
#endif
#define FREE 0
#define LIVE 1
#define DEAD 2
byte st, lk, from=1, to=1, head=1;
byte stamp[OWNERS+2];                  /* of a position: 1 published, 2 void */
byte kills=KILLS, killr=KILLR;
byte turns, alive;                     /* ghost: of OWNERS; whose the record is */
byte claimer[OWNERS+2];                /* ghost: who lives to publish it */

#define DIE :: atomic { kills>0 -> kills--; goto gone }
#define S(x) if :: atomic { x } DIE fi

proctype Owner(byte me) {
  byte h;
  if
  :: st==FREE && lk==0
  :: turns+1==OWNERS && st==DEAD && lk!=0 -> goto out /* not in its time */
  fi;
  S(if :: lk==0 -> lk=me :: else -> goto out fi);
#ifndef MUT_JOIN
  S(if :: st!=FREE -> lk=0; goto out :: else fi);
#endif
  S(from=to);
  S(st=LIVE; alive=me);
  h=head;
  S(from=h);
  S(to=h+1);
  S(head=h+1; claimer[h]=me);
  S(assert(stamp[h]==0); stamp[h]=1; claimer[h]=0);
  S(from=to);
  S(st=FREE; alive=0);
gone:
  atomic { if :: lk==me -> lk=0 :: else fi;
    if :: alive==me -> alive=0 :: else fi;
    if :: h!=0 && claimer[h]==me -> claimer[h]=0 :: else fi; h=0 };
out: turns++
}
#undef DIE
#undef S
#define DIE :: atomic { killr>0 -> killr--; goto gone }
#define S(x) if :: atomic { x } DIE fi
#ifdef MUT_NOLOCK
#define GIVEBACK skip
#else
#define GIVEBACK S(lk=0)
#endif

proctype Reaper(byte me) {
  byte p, e; bit ok;
look:
  if
  :: st!=FREE && lk==0
  :: turns==OWNERS && st==FREE -> goto last
  DIE
  fi;
#ifdef MUT_RANGE1
  S(p=from; e=to);
#endif
#ifdef MUT_NOLOCK
  S(if :: lk==0 :: else -> goto again fi);
#else
  S(if :: lk==0 -> lk=me :: else -> goto again fi);
#endif
#ifndef MUT_STATE
  S(ok=(st==FREE));
  if :: ok -> ok=0; GIVEBACK; goto again :: else fi;
#endif
  S(assert(alive==0); st=DEAD);
#ifdef MUT_UNLOCK
  GIVEBACK;
#endif
#ifndef MUT_RANGE1
  S(p=from);
  S(e=to);
#endif
#ifdef MUT_FREE1
  S(assert(alive==0); st=FREE);
#endif
  S(ok=(p<e && p<head));
  if
  :: ok ->
     S(ok=(stamp[p]==0));
     if
     :: ok -> S(if :: stamp[p]==0 -> assert(claimer[p]==0); stamp[p]=2 :: else fi)
     :: else
     fi
  :: else
  fi;
  S(assert(alive==0); from=to);
#ifdef MUT_FREELAST
  GIVEBACK;
#endif
#ifndef MUT_FREE1
  S(assert(alive==0); st=FREE);
#endif
  S(if :: lk==me -> lk=0 :: else fi);
again:
  atomic { p=0; e=0; ok=0 };
  goto look;
last:
  atomic { p=1; do :: p<head -> assert(stamp[p]!=0); p++ :: else -> break od; p=0 };
gone:
  atomic { if :: lk==me -> lk=0 :: else fi; p=0; e=0; ok=0 }
}

init { atomic {
  run Owner(1);
#if OWNERS>1
  run Owner(2);
#endif
#if OWNERS>2
  run Owner(3);
#endif
  run Reaper(8); run Reaper(9)
} }
