/* SPDX-License-Identifier: MIT */
/* arena.pml - block leases.  NB blocks of PB payloads, positions never wrap (the ring itself is in ring.pml).
 * 2 producers (ids 0,1) send BATCH payloads before each claim; one exclusive consumer reads in place; a tap
 * reads when it likes (-DTAP); a producer may die (KILLS) and is reaped under its lock, then its id is used
 * again by a new participant.
 *   default        seal a block only when every payload in it is published; recheck last<low after the CAS;
 *                  lease := head read after the CAS; seal = last, then owner free; never wait for a block
 *                  while holding unpublished payloads (publish the short batch first)
 *   -DORIG_SEAL    seal at once with the last position published so far
 *   -DORIG_ABA     no recheck after the CAS
 *   -DORIG_LEASE   lease := head read before the CAS
 *   -DORIG_ORDER   reaper sets the owner free before it stores last
 *   -DORIG_HOLD    wait for a block while holding unpublished payloads
 *   -DORIG_SEALHEAD reaper seals with head, a position nobody has claimed yet (default head-1)
 *   -DORIG_NOLOCK  reaper does not hold the lock byte
 */
#ifndef NB
#define NB 2
#endif
#ifndef PB
#define PB 1
#endif
#ifndef BATCH
#define BATCH 1
#endif
#ifndef MAXP
#define MAXP 3
#endif
#ifndef KILLS
#define KILLS 0
#endif
#define NONE 9
#ifdef ORIG_SEALHEAD
#define SEALPOS head
#else
#define SEALPOS (head-1)
#endif
byte head=1, cursor=1;
byte owner[NB], last[NB], lease[NB], pay[NB*PB];     /* owner: 0 free, id+1 */
byte sblk[MAXP+2], stok[MAXP+2]; byte stamp[MAXP+2]; /* 0 unclaimed/unpublished 1 published 2 void */
byte own[MAXP+2];
byte lk[2], st[2]; byte tok=1; byte kills=KILLS; byte np;
#if NB>2
#define ANYBLK ((owner[0]==0 && last[0]<cursor) || (owner[1]==0 && last[1]<cursor) || (owner[2]==0 && last[2]<cursor))
#else
#define ANYBLK ((owner[0]==0 && last[0]<cursor) || (owner[1]==0 && last[1]<cursor))
#endif
#define DIE :: atomic { kills>0 -> kills--; goto gone }
#define S(x) if :: atomic { x } DIE fi

proctype Prod(byte me) {
  byte b=NONE, u=0, i, n, p, h, lw, v;      /* b: current block, u: payloads in it, lastpub of it in lp */
  byte pb[2]=NONE, pt[2], pi[2];            /* written, not yet published */
  byte sealb=NONE, lp=0;                     /* block to seal after the publish */
start:
  do
  :: head<=MAXP ->
     n=0;
     do
     :: n<BATCH ->
        if
        :: b==NONE || u==PB ->
           if
           :: b!=NONE ->
#ifdef ORIG_SEAL
              S(last[b]=lp); S(owner[b]=0);
#else
              if :: n==0 -> S(last[b]=lp); S(owner[b]=0)
                 :: else -> sealb=b              /* its payloads are not published yet */
              fi;
#endif
              b=NONE; u=0
           :: else
           fi;
           i=0;
           do
           :: i<NB ->
#ifdef ORIG_LEASE
              S(h=head);
#endif
              S(v=(owner[i]==0));
              if :: v -> S(lw=cursor); S(v=(last[i]<lw)) :: else fi;
              if
              :: v ->
                 S(if :: owner[i]==0 -> owner[i]=me+1 :: else -> v=0 fi);
                 if
                 :: v ->
#ifndef ORIG_ABA
                    S(v=(last[i]<lw));
                    if :: !v -> S(owner[i]=0) :: else fi;
#endif
                    if
                    :: v ->
#ifndef ORIG_LEASE
                       S(h=head);
#endif
                       S(lease[i]=h); b=i; u=0; lp=0; i=0; h=0; v=0; lw=0; break
                    :: else
                    fi
                 :: else
                 fi
              :: else
              fi;
              h=0; v=0; lw=0; i++
           :: else -> break
           od;
           if
           :: b==NONE ->
#ifndef ORIG_HOLD
              if :: n>0 -> i=0; break :: else fi;         /* publish what there is */
#endif
              i=0;
              if                                           /* wait: a block may be had, or somebody is dead */
              :: ANYBLK -> skip
              :: head>MAXP -> goto fin
              DIE fi
           :: else
           fi
        :: else ->
           S(pt[n]=tok; tok++; pay[b*PB+u]=pt[n]; pb[n]=b; pi[n]=u; u++; n++)
        fi
     :: else -> break
     od;
     i=0;
     do
     :: i<n ->
        S(if :: head>MAXP -> goto fin :: else -> p=head; own[p]=me+1; head++ fi);
        S(sblk[p]=pb[i]*PB+pi[i]; stok[p]=pt[i]);
        S(assert(stamp[p]==0); stamp[p]=1);
        if
        :: pb[i]==sealb -> if :: i+1>=n || pb[i+1]!=sealb -> S(last[sealb]=p); S(owner[sealb]=0); sealb=NONE :: else fi
        :: pb[i]==b -> lp=p
        :: else
        fi;
        pb[i]=NONE; pt[i]=0; pi[i]=0; p=0; i++
     :: else -> break
     od;
     i=0; n=0
  :: else -> break
  od;
fin:
  /* detach: every payload of ours is published or will never be */
  i=0;
  do :: i<NB -> if :: owner[i]==me+1 -> S(last[i]=SEALPOS); S(owner[i]=0) :: else fi; i++ :: else -> break od;
  S(st[me]=0); S(lk[me]=0);
  atomic { np--; goto end };
gone:
  atomic { if :: lk[me]==me+1 -> lk[me]=0 :: else fi; np--;
    b=NONE; u=0; i=0; n=0; p=0; h=0; lw=0; v=0; sealb=NONE; lp=0;
    pb[0]=NONE; pb[1]=NONE; pt[0]=0; pt[1]=0; pi[0]=0; pi[1]=0 };
  /* the same record is taken by a new participant once it is free */
  if :: atomic { st[me]==0 && lk[me]==0 && kills==0 -> lk[me]=me+1; st[me]=1; np++ } goto start
     :: head>MAXP || 1 -> skip fi;
end: skip
}
#undef S
#undef DIE
proctype Cons() {
  byte x;
  do
  :: cursor<=MAXP && stamp[cursor]==1 ->
     x=pay[sblk[cursor]]; assert(x==stok[cursor]);
     x=pay[sblk[cursor]]; assert(x==stok[cursor]);
     x=0; cursor=cursor+1
  :: cursor<=MAXP && stamp[cursor]==2 -> cursor=cursor+1
  :: cursor>MAXP -> break
  :: np==0 && stamp[cursor]==0 && cursor==head && st[0]==0 && st[1]==0 -> break
  od
}
#ifdef TAP
active proctype Tap() {
  byte p, x, b; bit ok;
  if :: p=1 :: p=2 :: p=3 fi;
  if :: stamp[p]==1 :: cursor>MAXP -> goto out fi;
  b=sblk[p];
  ok=(lease[b/PB]<=p);
  x=pay[b];
  atomic { ok=ok && (lease[b/PB]<=p) }
  assert(!ok || x==stok[p]);
out: skip
}
#endif
#if KILLS>0
proctype Reaper(byte me) {
  byte j, i, h, q;
endr:
  do
  :: atomic { st[0]!=0 && lk[0]==0 -> j=0 } goto have
  :: atomic { st[1]!=0 && lk[1]==0 -> j=1 } goto have
  :: cursor>MAXP && np==0 && st[0]==0 && st[1]==0 -> goto out
  od;
have:
#ifndef ORIG_NOLOCK
  atomic { if :: lk[j]==0 -> lk[j]=10+me :: else -> goto endr fi }
  atomic { if :: st[j]==0 -> lk[j]=0; goto endr :: else fi }
#endif
  q=1;
  atomic { do :: q<head && q<=MAXP -> if :: own[q]==j+1 && stamp[q]==0 -> stamp[q]=2 :: else fi; q++ :: else -> break od; q=0 }
  i=0;
  do
  :: i<NB ->
     if
     :: owner[i]==j+1 ->
        h=SEALPOS;
        assert(lk[j]!=j+1);            /* no block is taken from a live owner */
#ifdef ORIG_ORDER
        owner[i]=0;
        last[i]=h;
#else
        last[i]=h;
        owner[i]=0;
#endif
        h=0
     :: else
     fi;
     i++
  :: else -> break
  od;
  i=0;
  atomic { assert(lk[j]!=j+1); st[j]=0 }   /* nor a live record freed */
#ifndef ORIG_NOLOCK
  lk[j]=0;
#endif
  j=0;
  goto endr;
out: skip
}
#endif
init { atomic { st[0]=1; st[1]=1; lk[0]=1; lk[1]=2; np=2; run Prod(0); run Prod(1); run Cons();
#if KILLS>0
  run Reaper(0); run Reaper(1)
#endif
} }
