/* SPDX-License-Identifier: MIT */
/* lossy.pml - a tap that holds nobody back, and producers without any reliable group.
 * The body is two words.  MAXP positions, C slots, NPR producers.
 *   default      tap: stamp==p; copy; then head <= p+C (position p+C not yet claimed);
 *                producer: before claiming p the slot must be settled for p-C
 *   -DORIG_TAP   tap re-reads the stamp only (published text)
 *   -DBUSY       instead: producer stores stamp := busy p before the body, tap re-reads the stamp
 *   -DORIG_LAP   producer does not look at the slot ("with none, nothing holds producers back")
 *   -DORIG_SOLE  NPR=1: head is stored after the batch (published text), tap checks head
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
#define BZ 64
byte head=1, stamp[C], b1[C], b2[C], wr[C];
proctype Prod(byte me) {
  byte h, s;
  do
  :: atomic { h=head; if :: h>MAXP -> goto out :: else fi }
#ifndef ORIG_LAP
     atomic { s=stamp[SLOT(h)]; if :: h>C && s!=h-C -> s=0; h=0; goto again :: else s=0 fi }
#endif
#ifndef ORIG_SOLE
     atomic { if :: head==h -> head=h+1 :: else -> h=0; goto again fi }
#endif
#ifdef BUSY
     stamp[SLOT(h)]=BZ+h;
#endif
     atomic { assert(wr[SLOT(h)]==0); wr[SLOT(h)]=me+1; b1[SLOT(h)]=h }   /* two writers of one slot? */
     b2[SLOT(h)]=h;
     atomic { wr[SLOT(h)]=0; assert(stamp[SLOT(h)]%BZ<=h); stamp[SLOT(h)]=h }
#ifdef ORIG_SOLE
     head=h+1;
#endif
again: h=0
  od;
out: skip
}
active proctype Tap() {
  byte p=1, x, y, s; bit ok;
  do
  :: p>MAXP -> break
  :: else ->
     s=stamp[SLOT(p)];
     if
     :: s==p ->
        x=b1[SLOT(p)];
        y=b2[SLOT(p)];
#if defined(ORIG_TAP) || defined(BUSY)
        atomic { ok=(stamp[SLOT(p)]==p) }
#else
        atomic { ok=(head<=p+C) }
#endif
        atomic { assert(!ok || (x==p && y==p)); x=0; y=0; ok=0; p++; s=0 }
     :: s%BZ>p -> p++; s=0            /* overwritten before we came: counted */
     :: else -> s=0; (stamp[SLOT(p)]%BZ>=p && stamp[SLOT(p)]!=BZ+p)
     fi
  od
}
init { atomic { run Prod(0);
#if NPR>1
  run Prod(1)
#endif
} }
