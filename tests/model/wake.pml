/* SPDX-License-Identifier: MIT */
/* wake.pml - sleeper / waker under TSO: each producer's publish store sits in a
 * store buffer (depth 2) until the machine commits it or something flushes it.
 *   default       sleeper pays: set bit, membarrier (flushes every buffer), look again, futex_wait on a
 *                 per-group count; waker: load bits, clear the bit, count++, wake ALL
 *   -DNOBARRIER   neither membarrier nor producer fence            (expected: lost wake-up)
 *   -DPFENCE      producer fence instead of membarrier
 *   -DMIXED       producer 0 was never registered (its buffer is not flushed), nobody fences
 *   -DWAKEONE     waker clears the bit but wakes one sleeper
 *   -DWAKEFIRST   waker wakes, then clears the bit
 *   -DONWORD      futex_wait on the bits word itself, no count
 *   -DDIE         one producer may be killed between any two steps (its buffer still drains)
 *   -DMUT_COUNT   the sleeper reads the count after its fresh look
 *   -DBOUNDED     every sleep is bounded (may end by itself, looks again)
 * NPR producers x M messages; 2 consumers in one group (default) or one in each of two groups (-DTWOGROUPS)
 */
#ifndef NPR
#define NPR 2
#endif
#ifndef M
#define M 2
#endif
#define TOT (NPR*M)
byte head = 1;
byte tail[2] = 1;
bit  pub[TOT+2];
byte bits, cnt[2];
byte buf[NPR*2];            /* store buffer: positions whose stamp is not visible yet; 0 = none */
bit  asleep[2];
byte kills = 1;
#ifdef TWOGROUPS
#define G(c) c
#else
#define G(c) 0
#endif
#define FLUSH(i) if :: buf[2*i]!=0 -> pub[buf[2*i]]=1; buf[2*i]=0 :: else fi; \
                 if :: buf[2*i+1]!=0 -> pub[buf[2*i+1]]=1; buf[2*i+1]=0 :: else fi
#ifdef DIE
#define K :: kills>0 -> kills--; goto gone
#else
#define K
#endif
#define S(x) if :: atomic { x } K fi

active proctype Commit() {   /* the machine: oldest entry first */
end:
  do
  :: atomic { buf[0]!=0 -> pub[buf[0]]=1; buf[0]=buf[1]; buf[1]=0 }
#if NPR>1
  :: atomic { buf[2]!=0 -> pub[buf[2]]=1; buf[2]=buf[3]; buf[3]=0 }
#endif
  od
}
#ifdef WAKEONE
#define WAKE(g) if :: asleep[0] && G(0)==g -> asleep[0]=0 :: asleep[1] && G(1)==g -> asleep[1]=0 :: else fi
#else
#define WAKE(g) if :: asleep[0] && G(0)==g -> asleep[0]=0 :: else fi; if :: asleep[1] && G(1)==g -> asleep[1]=0 :: else fi
#endif
proctype Prod(byte me) {
  byte i, p, b, g;
  do
  :: i<M ->
     S(p=head; head++; i++);
     if :: atomic { buf[2*me+1]==0 -> if :: buf[2*me]==0 -> buf[2*me]=p :: else -> buf[2*me+1]=p fi; p=0 } K fi;
#ifdef PFENCE
     S(FLUSH(me));
#endif
     S(b=bits);
     g=0;
     do
     :: g<2 && (b & (1<<g)) ->
#ifdef WAKEFIRST
        S(cnt[g]++; FLUSH(me));
        S(WAKE(g));
        S(bits = bits & (3 - (1<<g)));
#else
        S(bits = bits & (3 - (1<<g)); FLUSH(me));      /* a locked instruction drains the buffer */
        S(cnt[g]++);
        S(WAKE(g));
#endif
        g++
     :: g<2 && !(b & (1<<g)) -> g++
     :: g==2 -> break
     od;
     g=0; b=0
  :: else -> break
  od;
gone: skip
}
proctype Cons(byte me) {
  byte s, p;
L1:
  atomic { p=tail[G(me)];
    if :: p<=TOT && pub[p] -> tail[G(me)]=p+1; p=0; goto L1 :: else fi }
  if :: p>TOT -> goto out :: else fi;
  p=0;
#ifndef MUT_COUNT
  s = cnt[G(me)];
#endif
  atomic { bits = bits | (1<<G(me));
#ifdef ONWORD
    s = bits;
#endif
  }
#if defined(MIXED)
  atomic { FLUSH(1) }
#elif !defined(NOBARRIER) && !defined(PFENCE)
  atomic { FLUSH(0);
#if NPR>1
  FLUSH(1)
#endif
  }
#endif
  atomic { p=tail[G(me)]; if :: p<=TOT && pub[p] -> p=0; goto L1 :: p>TOT -> goto out :: else p=0 fi }
#ifdef MUT_COUNT
  s = cnt[G(me)];
#endif
#ifdef ONWORD
  atomic { if :: bits!=s -> s=0; goto L1 :: else -> asleep[me]=1; s=0 fi }
#else
  atomic { if :: cnt[G(me)]!=s -> s=0; goto L1 :: else -> asleep[me]=1; s=0 fi }
#endif
endsleep:
  if
  :: !asleep[me] -> goto L1
#ifdef BOUNDED
  :: atomic { tail[G(me)]<=TOT && pub[tail[G(me)]] -> asleep[me]=0 }; goto L1     /* timeout; only the useful ones explored */
#endif
  fi;
out: skip
}
active proctype Monitor() {
  timeout -> assert(!(pub[tail[0]] && tail[0]<=TOT));
#ifdef TWOGROUPS
  assert(!(pub[tail[1]] && tail[1]<=TOT));
#endif
}
init { atomic { run Prod(0);
#if NPR>1
  run Prod(1);
#endif
  run Cons(0); run Cons(1) } }
