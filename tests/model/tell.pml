/* SPDX-License-Identifier: MIT */
/*
 * tell.pml - who sleeps until a member is done, under store buffers
 *
 * Member A has the only message in hand, and the ring is full. Member B sleeps
 * until it sees the end, a producer until there is room. A is done; somebody
 * finishes the ring meanwhile. A's store of its range stands in its store buffer
 * until the machine commits it, A does something locked, or a sleeper's
 * membarrier makes it visible. Sleeps have no bound here: who is not woken is an
 * invalid end state.
 *
 *   default         as consume.c:tell(): release, then load the bits, then head
 *   -DPFENCE        wakers fence, and sleepers, in place of the membarrier
 *   -DMUT_BARRIER   neither
 *   -DMUT_FIN       A wakes producers alone, finished or not
 *   -DMUT_HEAD1     A looks whether the ring is finished before it is done
 *   -DMUT_BITS1     A loads the bits before it is done
 *   -DMUT_NOTELL    who finishes the ring wakes nobody
 */
#define GROUP 1
#define ROOM 2
bit fin, inhand=1, buffered;           /* buffered: A is done, nobody sees it */
byte bits, cnt[2];
bit asleep[2];

#define FLUSH if :: buffered -> inhand=0; buffered=0 :: else fi
#define WAKE(i) \
	atomic { bits=bits & (3-(1<<i)); if :: me==0 -> FLUSH :: else fi }; \
	cnt[i]=cnt[i]+1; \
	asleep[i]=0
#define WAKEALL(b) \
	if :: b & GROUP -> WAKE(0) :: else fi; \
	if :: b & ROOM -> WAKE(1) :: else fi

active proctype Machine() {
end:
  do :: atomic { buffered -> FLUSH } od
}

active proctype A() {
  byte me=0, b; bit f;
#ifdef MUT_HEAD1
  f=fin;
#endif
#ifdef MUT_BITS1
  b=bits;
#endif
  buffered=1;
#ifdef PFENCE
  atomic { FLUSH };
#endif
#ifndef MUT_BITS1
  b=bits;
#endif
#ifndef MUT_HEAD1
  f=fin;
#endif
#ifdef MUT_FIN
  f=0;
#endif
  if :: !f -> b=b & ROOM :: else fi;
  WAKEALL(b)
}

active proctype Finisher() {
  byte me=1, b;
  fin=1;                               /* an atomic or */
#ifndef MUT_NOTELL
  b=bits;
  WAKEALL(b)
#endif
}

#define READY (i==0 && fin && !inhand || i==1 && (fin || !inhand))
proctype Sleeper(byte i) {
  byte s;
again:
  if :: READY -> goto out :: else fi;
  s=cnt[i];
  bits=bits | (1<<i);
#if !defined(MUT_BARRIER) && !defined(PFENCE)
  atomic { FLUSH };                    /* membarrier: of every process */
#endif
  if :: READY -> goto out :: else fi;
  atomic { if :: cnt[i]!=s -> s=0; goto again :: else -> asleep[i]=1; s=0 fi };
  !asleep[i];
  goto again;
out: skip
}

init { atomic { run Sleeper(0); run Sleeper(1) } }
