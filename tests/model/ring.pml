/* SPDX-License-Identifier: MIT */
/* ring.pml - claim / publish / consume / recover, sequentially consistent.
 *
 * One step S(...) = one shared-memory access or one lock system call; at each
 * of them the process may be killed instead (DIE), which drops its locks.
 *
 * Default = PROTOCOL.md as AMENDED.  Each -DORIG_x restores the published text:
 *   ORIG_VOID   reaper: "stamp is p or void p: done" (else CAS value seen -> void p)
 *   ORIG_NOLOCK reaper only tests the lock byte, does not hold it; adopts by owner word
 *   ORIG_STALEP producer keeps its stale range while it waits
 *   ORIG_STALEC consumer keeps its stale range while it waits
 *   ORIG_LOW    acted is not raised, no scan after it; adopter trusts the stamp alone
 *   ORIG_WRAP   free := low + C - head as unsigned numbers, low far below
 *   ORIG_FREEFIRST reaper unlocks before it marks the record free
 * Mutants that no published text ever had:
 *   MUT_PRANGE  a producer stores its range after the CAS of head
 *   MUT_CRANGE  a consumer stores its range after the CAS of tail
 *   MUT_SCAN    low: the ranges are read before the tail
 *   MUT_DEAD    reaper: does not store DEAD before it recovers
 *   MUT_STAMP   adopter: acted alone tells, not the stamp
 *   MUT_ANN     adopter: the stamp alone tells, not acted
 *   MUT_SCAN1   acted is raised, but nothing is looked at again
 *   MUT_COVER   reaper: no look whether a live producer covers the position
 * Groups are there from the start, so announced, which only a joiner reads, and the
 * scan before it are left out: see group.pml.
 * Sizes: C slots, MAXP positions, B largest batch, KILLP/KILLC deaths of
 *   producers/consumers, LATEP/LATEC: a late producer/consumer that can attach
 *   only to a freed record, REAPERS: extra processes that reap once each (KILLR of
 *   them may die), XGROUP: process 3 is an exclusive second group.
 * Blocking waits are guarded by "a retry would get somewhere", so a protocol
 * that leaves somebody waiting for ever shows up as an invalid end state.
 */
#ifndef C
#define C 2
#endif
#ifndef MAXP
#define MAXP 3
#endif
#ifndef B
#define B 2
#endif
#ifndef KILLP
#define KILLP 1
#endif
#ifndef KILLC
#define KILLC 0
#endif
#ifndef KILLR
#define KILLR 0
#endif
#ifndef NPRODS
#define NPRODS 2
#endif
#ifndef NCONS
#define NCONS 2
#endif
#define NR 4
#if defined(LATEP) || defined(LATEC)
#define C0 0                   /* any record can be of either kind */
#define P1 NR
#else
#define C0 2                   /* records 0,1 are producers', 2,3 consumers' */
#define P1 2
#endif
#define V 64
#define SLOT(p) (((p)-1)%C)
#define POS(s)  ((s)%V)
#define FREE 0
#define LIVE 1
#define DEAD 2
#define KP 1
#define KC 2
#define KX 3

byte head = 1, tail = 1;
byte stamp[C], body[C];
byte from[NR], to[NR], st[NR], kind[NR], lk[NR];
#ifdef ORIG_NOLOCK
byte ow[NR];
#define OW(j) ow[j]
#else
#define OW(j) 0
#endif
#ifndef ORIG_LOW
byte acted = 1;
#endif
byte killp = KILLP, killc = KILLC, killr = KILLR;
byte np, nc;                   /* ghost: producers / members not yet finished or dead */
byte own[MAXP+B+2];            /* ghost: process+1 that claimed p; 0 once it is dead  */
byte gst[MAXP+B+2];            /* ghost bits: 1 published 2 delivered fresh 4 completed 8 completed by the exclusive group */
bit  ccrash;
#ifdef XGROUP
byte cursor = 1;
bit xlive;
#define XSTEP(l) S(if :: cursor<(l) -> l=cursor :: else fi)
#define XMOVED(l) (cursor>(l))
#define XGONE (!xlive)
#else
#define XSTEP(l) skip
#define XMOVED(l) 1
#define XGONE 0
#endif

#ifdef ORIG_VOID
#define SETTLED(s,p) ((s)==(p) || (s)==V+(p))
#else
#define SETTLED(s,p) (POS(s)>=(p))
#endif
#ifdef ORIG_NOLOCK
#define ISLIVE(k) (st[k]!=FREE && lk[k]!=0)
#define NEWS(j) 0
#else
#define ISLIVE(k) (st[k]==LIVE)
#ifdef MUT_DEAD
#define NEWS(j) 0
#else
#define NEWS(j) (st[j]==LIVE)
#endif
#endif
/* ghost guards: would an attempt to reap record j get anywhere? */
#define UNS(p)   ((p)<head && !SETTLED(stamp[SLOT(p)],p))
#define CV1(k,p) (ISLIVE(k) && kind[k]==KP && from[k]<=(p) && (p)<to[k])
#define COV(j,p) ((j!=0&&CV1(0,p))||(j!=1&&CV1(1,p))||(j!=2&&CV1(2,p))||(j!=3&&CV1(3,p)))
#define U1(j)    (from[j]<to[j] && UNS(from[j]))
#define U2(j)    (from[j]+1<to[j] && UNS(from[j]+1))
#define PROGP(j) (NEWS(j) || (U1(j)&&!COV(j,from[j])) || (U2(j)&&!COV(j,from[j]+1)) || (!U1(j)&&!U2(j)))
#define PROGC(j,mem) (NEWS(j) || mem || from[j]>=to[j])
#define RP(j,mem) (st[j]!=FREE && lk[j]==0 && OW(j)==0 && ((kind[j]==KP && PROGP(j)) || (kind[j]==KC && PROGC(j,mem)) || kind[j]==KX))
#define ANYREAP(mem) (RP(0,mem)||RP(1,mem)||RP(2,mem)||RP(3,mem))
#define RDY(p) (stamp[SLOT(p)]==(p) || stamp[SLOT(p)]==V+(p))
#define EMP(j) (st[j]==FREE || kind[j]!=KC || from[j]>=to[j])
#define ABOVE(j,l) (EMP(j) || from[j]>(l))
#define MOVED(l) (tail>(l) && XMOVED(l) && ABOVE(0,l)&&ABOVE(1,l)&&ABOVE(2,l)&&ABOVE(3,l))
#ifdef ORIG_STALEC             /* a stale range must not be what keeps the model from ending */
#define FINC (np==0 && tail==head)
#define ALLCOMP 1
#else
#define FINC (np==0 && tail==head && EMP(0)&&EMP(1)&&EMP(2)&&EMP(3))
#define ALLCOMP ((gst[p]&5)!=1)
#endif
#define ANYFREE ((st[0]==FREE&&lk[0]==0)||(st[1]==FREE&&lk[1]==0)||(st[2]==FREE&&lk[2]==0)||(st[3]==FREE&&lk[3]==0))

#define UNLOCK(i) \
  if :: lk[0]==i+1 -> lk[0]=0 :: else fi; if :: lk[1]==i+1 -> lk[1]=0 :: else fi; \
  if :: lk[2]==i+1 -> lk[2]=0 :: else fi; if :: lk[3]==i+1 -> lk[3]=0 :: else fi
#define ISP (me<2 || me==4)
#define DIE :: atomic { ISP && killp>0 -> killp--; goto gone } \
            :: atomic { !ISP && me<6 && killc>0 -> killc--; goto gone } \
            :: atomic { me>=6 && killr>0 -> killr--; goto gone }
#define S(x) if :: atomic { x } DIE fi

#ifdef ORIG_LOW
#define OWED(p) 1
#define GETANN skip
#else
#ifdef MUT_ANN
#define OWED(p) 1
#else
#define OWED(p) ((p)>=hd)
#endif
#define GETANN S(hd=acted)
#endif
#ifdef ORIG_NOLOCK
#define TAKE(j) S(if :: lk[j]==0 -> skip :: else -> goto reaped fi)
#define DROP(j) skip
#define ADOPT(j) S(if :: ow[j]==0 -> ow[j]=me+1 :: else -> goto reaped fi)
#define FREEREC(j) S(st[j]=FREE; ow[j]=0)
#else
#ifdef MUT_DEAD
#define DEAD1(j) skip
#else
#define DEAD1(j) S(st[j]=DEAD)
#endif
#define TAKE(j) \
  S(if :: lk[j]==0 -> lk[j]=me+1 :: else -> goto reaped fi); \
  S(if :: st[j]==FREE -> lk[j]=0; goto reaped :: else fi); \
  DEAD1(j)
#define ADOPT(j) skip
#ifdef ORIG_FREEFIRST
#define FREEREC(j) S(lk[j]=0); S(assert(lk[j]==0 || lk[j]==me+1 || st[j]!=LIVE); st[j]=FREE)
#define DROP(j) S(if :: lk[j]==me+1 && st[j]!=FREE -> lk[j]=0 :: else fi)
#else
#define FREEREC(j) S(st[j]=FREE)
#define DROP(j) S(lk[j]=0)
#endif
#endif

/* one scan: low of the ring into l.  Shared tail first, then the ranges. */
#ifdef MUT_SCAN
#define SCAN(l) \
  l = head; k = C0; RANGES(l); S(if :: tail<l -> l=tail :: else fi); XSTEP(l); k=0
#else
#define SCAN(l) \
  S(l = tail; k = C0); RANGES(l); XSTEP(l); k=0
#endif
#define RANGES(l) \
  do \
  :: k<NR -> \
     if \
     :: atomic { st[k]!=FREE && kind[k]==KC -> f = from[k] } \
        S(if :: f<to[k] && f<l -> l=f :: else fi; f=0; k++) \
     :: atomic { !(st[k]!=FREE && kind[k]==KC) -> k++ } \
     DIE fi \
  :: else -> break \
  od

#ifdef MUT_STAMP
#define ISP0(s,p) 1
#else
#define ISP0(s,p) ((s)==(p))
#endif
/* use in place: the body must be p at both ends */
#define USE(p,re) \
  S(assert(body[SLOT(p)]==p); \
    if :: re -> assert(ccrash) :: else -> assert((gst[p]&2)==0); gst[p]=gst[p]|2 fi); \
  S(assert(body[SLOT(p)]==p); gst[p]=gst[p]|4)

/* reap record j; mem=1 when the caller is a member of the shared group */
inline reap(mem) {
  atomic { if
  :: RP(0,mem) -> j=0 :: RP(1,mem) -> j=1 :: RP(2,mem) -> j=2 :: RP(3,mem) -> j=3
  :: else -> goto reaped
  fi };
  TAKE(j);
  if
  :: kind[j]==KP ->
     S(hd = head; lv = 0);
     S(p = from[j]);
     do
     :: p<to[j] && p<hd ->
        S(s = stamp[SLOT(p)]; k = 0; cv = SETTLED(s,p));
        if
        :: cv -> skip
        :: else ->
#ifndef MUT_COVER
           do
           :: k<P1 && k!=j ->
              if
              :: atomic { ISLIVE(k) && kind[k]==KP -> f = from[k] }
                 S(if :: f<=p && p<to[k] -> cv=1 :: else fi; f=0; k++)
              :: atomic { !(ISLIVE(k) && kind[k]==KP) -> k++ }
              DIE fi
           :: k==j -> k++
           :: else -> break
           od;
#endif
           k=0;
           if
           :: cv -> lv=1
           :: else -> S(                                  /* CAS stamp s -> void p */
                if
                :: stamp[SLOT(p)]==s ->
                   assert(own[p]==0);                     /* no void of a live owner's position */
                   assert(POS(s)<p);                      /* no late void of a reused slot */
                   stamp[SLOT(p)]=V+p
                :: else
                fi )
           fi
        fi;
        p++; s=0; cv=0
     :: else -> break
     od;
     if
     :: lv -> skip
     :: else -> FREEREC(j)
     fi
  :: kind[j]==KC && mem ->
        ADOPT(j);
        S(p = from[j]);
        GETANN;
        do
        :: p<to[j] ->
           S(s = stamp[SLOT(p)]);
           if
           :: ISP0(s,p) && OWED(p) -> USE(p,1)
           :: else
           fi;
           S(s=0; p++; from[j]=p)
        :: else -> break
        od;
        FREEREC(j)
  :: kind[j]==KC && !mem ->
        if
        :: from[j]>=to[j] -> FREEREC(j)
        :: else
        fi
  :: kind[j]==KX -> FREEREC(j)
  :: else
  fi;
  DROP(j);
reaped:
  atomic { j=0; p=0; s=0; hd=0; lv=0; k=0; cv=0; f=0 }
}

#define ATTACH(kk) \
  atomic { if \
  :: st[0]==FREE&&lk[0]==0 -> r=0 \
  :: st[1]==FREE&&lk[1]==0 -> r=1 \
  :: st[2]==FREE&&lk[2]==0 -> r=2 \
  :: st[3]==FREE&&lk[3]==0 -> r=3 \
  :: else -> goto again \
  fi }; \
  S(if :: lk[r]==0 -> lk[r]=me+1 :: else -> r=NR; goto again fi); \
  S(if :: st[r]!=FREE -> lk[r]=0; r=NR; goto again :: else fi); \
  S(kind[r]=kk; from[r]=1; to[r]=1);  /* still FREE: nobody reads it */ \
  S(st[r]=LIVE)

/* Full: nothing above low + C. The code subtracts, and low may be far below. */
#ifdef ORIG_WRAP
#define FULL(h,low) ((h)==(low)+C)
#else
#define FULL(h,low) ((h)>=(low)+C)
#endif
#ifdef ORIG_STALEP
#define PEMPTY skip
#else
#define PEMPTY S(from[r]=to[r])
#endif
#ifdef ORIG_LOW
#define NEWLOW SCAN(l); low=l; l=0
#else
#define NEWLOW SCAN(l); \
     S(if :: l>acted -> acted=l :: else fi); low=l; l=0; SCANAGAIN
#ifdef MUT_SCAN1
#define SCANAGAIN skip
#else
#define SCANAGAIN SCAN(l); if :: l<low -> low=l :: else fi; l=0
#endif
#endif

proctype Prod(byte me; byte r) {
  byte h, n, low = 1, l, k, f, p, j, s, hd; bit lv, cv;
again:
  if
  :: r==NR -> if :: ANYFREE -> ATTACH(KP) :: head>MAXP -> goto out DIE fi
  :: else
  fi;
next:
  if :: n=1 :: (B>1) -> n=2 fi;
L1:
  S(h = head);
  if :: h+n-1>MAXP -> goto bye :: else fi;
  if
  :: h+n-1 >= low+C ->
     NEWLOW;
     if
     :: FULL(h,low) ->
        PEMPTY;
        if
        :: MOVED(low) -> skip                       /* a scan now would give more than low */
        :: head!=h -> skip
        :: ANYREAP(0) -> reap(0)
        :: nc==0 || XGONE -> goto bye
        DIE fi;
        h=0;
        goto L1
     :: h<low -> h=0; goto L1            /* head has moved on */
     :: !FULL(h,low) && h>low+C -> skip  /* ORIG_WRAP alone */
     :: h>=low && h<low+C && h+n>low+C -> n=low+C-h  /* as many as there are */
     :: else
     fi
  :: else
  fi;
#ifndef MUT_PRANGE
  S(from[r]=h);
  S(to[r]=h+n);
#endif
  S(if
    :: head==h -> head=h+n; own[h]=me+1; if :: n==2 -> own[h+1]=me+1 :: else fi
    :: else -> h=0; goto L1
    fi);
#ifdef MUT_PRANGE
  S(from[r]=h);
  S(to[r]=h+n);
#endif
  p = h;
  do
  :: p<h+n -> S(body[SLOT(p)]=p; p++)
  :: else -> break
  od;
  p = h;
  do
  :: p<h+n -> S(assert(stamp[SLOT(p)]!=V+p); assert(POS(stamp[SLOT(p)])<p); stamp[SLOT(p)]=p; gst[p]=gst[p]|1; p++)
  :: else -> break
  od;
  h=0; p=0; n=0;
  goto next;
bye:
  S(from[r]=to[r]; h=0; n=0; l=0; low=0);
  S(st[r]=FREE);
  S(lk[r]=0; r=0);
out:
  atomic { np--; goto end };
gone:
  atomic { UNLOCK(me); np--; p=1;
    do :: p<MAXP+B+2 -> if :: own[p]==me+1 -> own[p]=0 :: else fi; p++ :: else -> break od;
    h=0; n=0; low=0; l=0; k=0; f=0; p=0; j=0; s=0; hd=0; lv=0; cv=0; r=0 };
end: skip
}
#ifdef ORIG_STALEC
#define CEMPTY skip
#else
#define CEMPTY S(from[r]=to[r])
#endif

proctype Cons(byte me; byte r) {
  byte t, n, k, f, p, j, s, hd; bit lv, cv;
again:
  if
  :: r==NR -> if :: ANYFREE -> ATTACH(KC) :: FINC -> goto out DIE fi
  :: else
  fi;
L1:
  S(t = tail; n = 0);
  do
  :: n<B -> S(cv = RDY(t+n); n = n+cv); if :: cv -> cv=0 :: else -> break fi
  :: else -> break
  od;
  if
  :: n==0 ->
     t=0; cv=0;
     if
     :: RDY(tail) -> goto L1
     :: ANYREAP(1) -> reap(1); goto L1
     :: FINC -> goto bye
     DIE fi
  :: else
  fi;
#ifndef MUT_CRANGE
  S(from[r]=t);
  S(to[r]=t+n);
#endif
  S(if
    :: tail==t -> tail=t+n
    :: else -> goto lost
    fi);
#ifdef MUT_CRANGE
  S(from[r]=t);
  S(to[r]=t+n);
#endif
  p = t;
  do
  :: p<t+n ->
     S(s = stamp[SLOT(p)]);
     if :: s==p -> USE(p,0) :: else -> assert(s==V+p) fi;
     S(s=0; p++; from[r]=p)
  :: else -> break
  od;
  t=0; n=0; p=0;
  goto L1;
lost:
  CEMPTY;
  t=0; n=0;
  goto L1;
bye:
  S(st[r]=FREE;
    p=1; do :: p<head -> assert(ALLCOMP); p++ :: else -> break od; p=0);   /* published => completed */
  S(lk[r]=0; r=0);
out:
  atomic { nc--; goto end };
gone:
  atomic { UNLOCK(me); nc--; ccrash=1;
    t=0; n=0; k=0; f=0; p=0; j=0; s=0; hd=0; lv=0; cv=0; r=0 };
end: skip
}

#ifdef XGROUP
proctype Excl(byte me; byte r) {
  byte n, k, f, p, j, s, hd; bit lv, cv;
L1:
  n = 0;
  do
  :: n<B -> S(cv = RDY(cursor+n); n = n+cv); if :: cv -> cv=0 :: else -> break fi
  :: else -> break
  od;
  if
  :: n==0 ->
     if
     :: RDY(cursor) -> goto L1
     :: ANYREAP(0) -> reap(0); goto L1
     :: np==0 && cursor==head -> goto bye
     DIE fi
  :: else
  fi;
  p = cursor;
  do
  :: p<cursor+n ->
     S(s = stamp[SLOT(p)]);
     if
     :: s==p ->
        S(assert(body[SLOT(p)]==p));
        S(assert(body[SLOT(p)]==p); gst[p]=gst[p]|8)
     :: else -> assert(s==V+p)
     fi;
     p++
  :: else -> break
  od;
  S(p=0; s=0; cursor=cursor+n; n=0);
  goto L1;
bye:
  S(st[r]=FREE;
    p=1; do :: p<head -> assert((gst[p]&9)!=1); p++ :: else -> break od; p=0);
  S(lk[r]=0; r=0);
  goto end;
gone:
  atomic { UNLOCK(me); xlive=0; n=0; k=0; f=0; p=0; j=0; s=0; hd=0; lv=0; cv=0; r=0 };
end: skip
}
#endif

#ifdef REAPERS
proctype Reaper(byte me) {
  byte k, f, p, j, s, hd; bit lv, cv;
  do
  :: ANYREAP(0) -> reap(0); break
  :: np==0 && nc==0 -> break
  DIE
  od;
  goto end;
gone:
  atomic { UNLOCK(me); k=0; f=0; p=0; j=0; s=0; hd=0; lv=0; cv=0 };
end: skip
}
#endif

init {
  atomic {
    byte i = 0;
    do
    :: i<NR -> from[i]=1; to[i]=1; i++
    :: else -> break
    od;
    i=0; kind[0]=KP; st[0]=LIVE; lk[0]=1; run Prod(0,0); np++;
#if NPRODS>1
    kind[1]=KP; st[1]=LIVE; lk[1]=2; run Prod(1,1); np++;
#endif
    kind[2]=KC; st[2]=LIVE; lk[2]=3; run Cons(2,2); nc++;
#ifdef XGROUP
    kind[3]=KX; st[3]=LIVE; lk[3]=4; xlive=1; run Excl(3,3);
#elif NCONS>1
    kind[3]=KC; st[3]=LIVE; lk[3]=4; run Cons(3,3); nc++;
#endif
#ifdef LATEP
    np++; run Prod(4,NR);
#endif
#ifdef LATEC
    nc++; run Cons(5,NR);
#endif
#ifdef REAPERS
    run Reaper(6);
#if REAPERS>1
    run Reaper(7);
#endif
#endif
  }
}
