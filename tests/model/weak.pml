/* SPDX-License-Identifier: MIT */
/* weak.pml - what a plain `own range :=` costs on ARM64.  The live producer L has claimed position 1 (range [1,2),
 * head = 2, both visible).  It publishes 1 and then sets its range for the next claim.  Stores leave its store
 * buffer in any order unless the later one is a release (partial store order).  A dead producer's stale range also
 * names position 1, so a reaper decides about it.
 *   default   range store is a release: it leaves after everything before it
 *   -DPLAIN   range store is plain (published text, step 2)
 */
#define V 64
byte stamp, from=1, to=2;
bit b_stamp, b_from, b_to;      /* in the buffer, not yet visible */
bit issued;
active proctype L() {
  atomic { b_stamp=1; issued=1 }
  b_from=1;                     /* from := 2 */
  b_to=1;                       /* to := 3 */
}
active proctype Buffer() {
end:
  do
  :: atomic { b_stamp -> assert(stamp==0); stamp=1; b_stamp=0 }
#ifdef PLAIN
  :: atomic { b_from -> from=2; b_from=0 }
  :: atomic { b_to -> to=3; b_to=0 }
#else
  :: atomic { b_from && !b_stamp -> from=2; b_from=0 }
  :: atomic { b_to && !b_stamp && !b_from -> to=3; b_to=0 }
#endif
  od
}
active proctype Reaper() {
  byte s, f, t;
  s=stamp;
  if
  :: s==1 -> skip
  :: else ->
     f=from;
     t=to;
     if
     :: f<=1 && 1<t -> skip                     /* a live producer covers it: leave it */
     :: else -> atomic { if :: stamp==s -> assert(0); stamp=V+1 :: else fi }
     fi
  fi
}
