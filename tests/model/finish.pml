/* SPDX-License-Identifier: MIT */
/*
 * finish.pml - the end of a ring
 *
 * NPR producers claim one position at a time, up to MAXP; somebody finishes the
 * ring at any moment (claim.c:hli_finish()): finishing is set, then head's bit.
 * Who dies between the two has finished nothing, and another does it. Two members of a shared group
 * take what there is until they see the end (take.c:hli_drained()), and may
 * leave with a message in hand. KILLS of all these die at any step; the dead
 * are found by a member that waits. No slot is used twice: ring.pml has that.
 *
 * Asserted: when a member sees the end, each position was completed or made
 * void, and none is claimed afterwards; no position is void that nobody
 * claimed. A member that waits for ever is an invalid end state.
 *
 *   -DSOLE           one producer, that stores head; only itself, or who has
 *                    its seat, finishes the ring
 *   -DMUT_AFTER      finishing is set after head's bit
 *   -DMUT_ALONE      finishing is the end, whatever head says
 *   -DMUT_WORD       finished is a word of its own, read before the claim
 *   -DMUT_SEAT       of a sole producer's ring: anybody finishes it
 *   -DMUT_TAIL       the end is where tail has reached head
 *   -DMUT_RANGEFIRST a group's low: ranges are read before the tail
 *   -DMUT_LIVE       a group's low: ranges of the dead do not count
 *   -DMUT_MASK       a reaper takes head with its bit for a position
 */
#ifndef MAXP
#define MAXP 2
#endif
#ifndef NPR
#define NPR 2
#endif
#ifndef KILLS
#define KILLS 1
#endif
#define FIN 64
#define FREE 0
#define LIVE 1
#define DEAD 2
byte head=1, tail=1, stamp[MAXP+3];    /* of a position: 1 published, 2 void */
byte st[4], lk[4], from[4]=1, to[4]=1; /* 0, 1 producers; 2, 3 members */
byte seat=1;                           /* of the sole producer */
bit finishing;
bit finished;                          /* the word of MUT_WORD */
byte kills=KILLS;
bit ended, comp[MAXP+3], claimed[MAXP+3]; /* ghost */

#define DIE :: atomic { kills>0 -> kills--; goto gone }
#define S(x) if :: atomic { x } DIE fi

#ifdef MUT_WORD
#define FINISH S(finishing=1); S(finished=1)
#define ISFIN(h) finished
#define POS(h) (h)
#else
#define HEADBIT if :: head<FIN -> head=head+FIN :: else fi; finished=1
#ifdef MUT_AFTER
#define FINISH S(HEADBIT); S(finishing=1)
#else
#define FINISH S(finishing=1); S(HEADBIT)
#endif
#ifdef MUT_ALONE
#define ISFIN(h) 1
#else
#define ISFIN(h) ((h)>=FIN)
#endif
#define POS(h) ((h)%FIN)
#endif
#ifdef MUT_MASK
#define LIMIT(h) (h)
#else
#define LIMIT(h) POS(h)
#endif

proctype Prod(byte me) {
  byte h;
#ifdef SOLE
  bit will;
  if :: will=0 :: will=1 fi;           /* does it finish the ring? */
#endif
next:
  S(h=head);
#ifdef MUT_WORD
  if :: finished -> goto bye :: else fi;
#endif
  if :: h>=FIN || h>MAXP -> goto bye :: else fi;
  S(from[me]=h);
  S(to[me]=h+1);
#ifdef SOLE
  S(head=h+1; claimed[h]=1; assert(!ended));
#else
  S(if :: head==h -> head=h+1; claimed[h]=1; assert(!ended) :: else -> h=0; goto next fi);
#endif
  S(assert(stamp[h]==0); stamp[h]=1);
  h=0;
  goto next;
bye:
#ifdef SOLE
  if :: will -> FINISH :: else fi;
#endif
  S(from[me]=to[me]; h=0);
  S(st[me]=FREE);
gone:
  atomic { h=0; lk[me]=0;
#ifdef SOLE
    seat=0; will=0
#endif
  }
}

/* Who finishes; if it dies before it has, another does, or the ring would just
 * go on. */
active proctype Finisher() {
#ifdef SOLE
#ifndef MUT_SEAT
  if
  :: atomic { seat==0 -> seat=9 }
  :: finished -> goto out              /* it did so itself */
  fi;
#endif
#endif
#ifdef MUT_WORD
  finishing=1;
  finished=1;
#elif defined(MUT_AFTER)
  atomic { HEADBIT };
  if :: finishing=1 :: atomic { kills>0 -> kills-- } fi;
#else
again:
  finishing=1;
  if :: skip :: atomic { kills>0 -> kills-- }; goto again fi;
  atomic { HEADBIT };
#endif
#ifdef SOLE
out: skip
#endif
}

/* Would a look at record r, a producer's, get anywhere? */
#define COVERS(k,p) (st[k]==LIVE && from[k]<=(p) && (p)<to[k])
#define OTHER(r) (1-(r))
#define UNSETTLED(r) (from[r]<to[r] && from[r]<LIMIT(head) && stamp[from[r]]==0)
#define PRODREAP(r) (st[r]!=FREE && lk[r]==0 && !(UNSETTLED(r) && COVERS(OTHER(r),from[r])))
#define MEMREAP(r) (st[r]!=FREE && lk[r]==0)
#define INHAND(r) (st[r]!=FREE && from[r]<to[r])
#define DRAINED (finishing && ISFIN(head) && tail>=POS(head) && !INHAND(2) && !INHAND(3))

inline settle() {                      /* r is a producer's record */
  S(if :: lk[r]==0 -> lk[r]=me+1 :: else -> goto loop fi);
  S(if :: st[r]==FREE -> lk[r]=0; goto loop :: else fi);
  S(st[r]=DEAD);
  S(e=head);
  S(t=from[r]);
  S(ok=(t<to[r] && t<LIMIT(e)); e=0);
  if
  :: ok ->
     S(ok=(stamp[t]==0));
     if
     :: ok ->
        S(ok=!COVERS(OTHER(r),t));
        if
        :: ok -> S(if :: stamp[t]==0 -> assert(claimed[t]); stamp[t]=2 :: else fi)
        :: else -> S(lk[r]=0; t=0; r=0); goto loop /* at the next look */
        fi
     :: else
     fi
  :: else
  fi;
  S(from[r]=to[r]; ok=0; t=0);
  S(st[r]=FREE);
  S(lk[r]=0; r=0)
}

inline adopt() {                       /* r is the other member's record */
  S(if :: lk[r]==0 -> lk[r]=me+1 :: else -> goto loop fi);
  S(if :: st[r]==FREE -> lk[r]=0; goto loop :: else fi);
  S(st[r]=DEAD);
  S(t=from[r]);
  S(ok=(t<to[r]));
  if
  :: ok -> S(ok=(stamp[t]==1)); if :: ok -> S(comp[t]=1) :: else fi; S(from[r]=t+1)
  :: else
  fi;
  S(st[r]=FREE; t=0; ok=0);
  S(lk[r]=0; r=0)
}

#ifdef MUT_TAIL
#define HELD(k) skip
#elif defined(MUT_LIVE)
#define HELD(k) S(ok=(st[k]==LIVE)); if :: ok -> S(t=from[k]); S(if :: t<to[k] && t<l -> l=t :: else fi; t=0) :: else fi
#else
#define HELD(k) S(ok=(st[k]!=FREE)); if :: ok -> S(t=from[k]); S(if :: t<to[k] && t<l -> l=t :: else fi; t=0) :: else fi
#endif

proctype Member(byte me) {
  byte t, e, l, r; bit ok;
loop:
  r=0;
  S(t=tail);
  S(ok=(stamp[t]!=0));
  if
  :: ok ->
     S(from[me]=t);
     S(to[me]=t+1);
     S(if :: tail==t -> tail=t+1; ok=1; assert(claimed[t]) :: else -> ok=0 fi);
     if
     :: !ok -> S(from[me]=to[me]; t=0)
     :: ok && stamp[t]==1 ->
        if
        :: skip
        :: goto leave                  /* with a message in hand */
        fi;
        S(comp[t]=1; ok=0);
        S(from[me]=t+1; t=0)
     :: ok && stamp[t]==2 -> S(from[me]=t+1; t=0; ok=0)
     fi;
     goto loop
  :: else
  fi;
  S(ok=(tail==t); t=0);
  if :: !ok -> goto loop :: else fi;
  S(ok=finishing);                     /* nothing there: the end? */
  if :: ok -> S(e=head; ok=0) :: else -> goto wait fi;
  if
  :: ISFIN(e) ->
     e=POS(e);
#ifdef MUT_RANGEFIRST
     l=e;
     HELD(2); HELD(3);
     S(if :: tail<l -> l=tail :: else fi);
#else
     S(l=tail);
     HELD(2); HELD(3);
#endif
     S(ok=(l>=e); l=0);
     if
     :: ok ->
        S(ended=1; assert(POS(head)==e);
          t=1; do :: t<e -> assert(comp[t] || stamp[t]==2); t++ :: else -> break od; t=0);
        ok=0; e=0;
        goto leave
     :: else
     fi
  :: else
  fi;
  e=0;
wait:
  if
  :: atomic { PRODREAP(0) -> r=0 }; settle()
#if NPR>1
  :: atomic { PRODREAP(1) -> r=1 }; settle()
#endif
  :: atomic { me==2 && MEMREAP(3) -> r=3 }; adopt()
  :: atomic { me==3 && MEMREAP(2) -> r=2 }; adopt()
  :: stamp[tail]!=0 || DRAINED
  DIE
  fi;
  goto loop;
leave:
  S(if :: from[me]<to[me] -> st[me]=DEAD :: else -> st[me]=FREE fi);
gone:
  atomic { t=0; e=0; l=0; ok=0; r=0;
    if :: lk[0]==me+1 -> lk[0]=0 :: else fi; if :: lk[1]==me+1 -> lk[1]=0 :: else fi;
    if :: lk[2]==me+1 -> lk[2]=0 :: else fi; if :: lk[3]==me+1 -> lk[3]=0 :: else fi }
}

init { atomic {
  st[0]=LIVE; lk[0]=1; run Prod(0);
#if NPR>1
  st[1]=LIVE; lk[1]=2; run Prod(1);
#endif
  st[2]=LIVE; lk[2]=3; run Member(2);
  st[3]=LIVE; lk[3]=4; run Member(3)
} }
