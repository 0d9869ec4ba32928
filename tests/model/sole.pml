/* SPDX-License-Identifier: MIT */
/* sole.pml - a sole producer dies (twice at most) and another one takes over; one exclusive consumer that may
 * die in a batch and is replaced.
 *   default         head := h+n before the bodies, range first, reaper voids; consumer stores `handed` before use
 *   -DORIG_SOLE     head stored after the batch, successor starts at head
 *   -DORIG_EXCL     only the successor's first batch is marked redelivered
 *   -DMUT_HANDED    consumer stores `handed` after the use
 *   -DMUT_RANGE     producer stores its range after head
 */
#define MAXP 5
#define V 64
byte head=1, stamp[MAXP+3], rf=1, rt=1, cursor=1, handed=1, killp=2, killc=1;
byte used[MAXP+3]; bit pdone, lastc;
#define K(x) :: atomic { x>0 -> x--; goto gone }
#define S(x) if :: atomic { x } K(killp) fi
active proctype Producer() {
  byte h, n, p;
start:
  h=head;
#ifndef ORIG_SOLE
  p=rf;                                      /* reap the predecessor */
  do :: p<rt && p<head -> S(if :: stamp[p]%V>=p -> skip :: else -> stamp[p]=V+p fi; p++) :: else -> break od;
#endif
  do
  :: if :: n=1 :: n=2 fi;
     if :: h+n-1>MAXP -> break :: else fi;
#ifndef MUT_RANGE
     S(rf=h); S(rt=h+n);
#endif
#ifndef ORIG_SOLE
     S(head=h+n);
#endif
#ifdef MUT_RANGE
     S(rf=h); S(rt=h+n);
#endif
     p=h;
     do :: p<h+n -> S(assert(stamp[p]==0); stamp[p]=p; p++) :: else -> break od;   /* a position is published once */
     h=h+n; p=0;
#ifdef ORIG_SOLE
     S(head=h);
#endif
  od;
  pdone=1; goto out;
gone: atomic { h=0; n=0; p=0 }; goto start;
out: skip
}
#undef S
#define S(x) if :: atomic { x } K(killc) fi
active proctype Consumer() {
  byte n, b, p, u; bit first;
start:
  u=0;
  if :: first -> u=handed :: else fi;
  if :: b=1 :: b=2 fi;
  do
  :: n=0;
     do :: n<b -> S(if :: stamp[cursor+n]%V==cursor+n -> n++ :: else -> goto cnt fi) :: else -> break od;
cnt: if
     :: n==0 && pdone && stamp[cursor]==0 -> assert(cursor==head); break  /* each position was settled */
     :: n==0 && !(pdone && stamp[cursor]==0) -> (stamp[cursor]!=0 || pdone)
     :: n>0 ->
#ifndef MUT_HANDED
        S(if :: handed<cursor+n -> handed=cursor+n :: else fi);
#endif
        p=cursor;
        do :: p<cursor+n ->
#ifdef ORIG_EXCL
           S(assert(used[p]==0 || first); used[p]=1; p++)        /* seen before => marked */
#else
           S(assert(used[p]==0 || p<u); used[p]=1; p++)
#endif
        :: else -> break od;
        p=0;
#ifdef MUT_HANDED
        S(if :: handed<cursor+n -> handed=cursor+n :: else fi);
#endif
        S(cursor=cursor+n);
        first=0
     fi
  od;
  goto out;
gone: atomic { n=0; b=0; p=0; u=0; first=1 }; goto start;
out: skip
}
