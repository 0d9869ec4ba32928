/* SPDX-License-Identifier: MIT */
/*
 * group.pml - the group table, the control byte, joins, leaves and drops
 *
 * One producer sends MAXP messages into C slots and drops what holds it back
 * for no living member. NC consumers each join the one group that there is a
 * name for (creating it if need be), take, and leave, with or without a
 * message in hand; KILLS of them die, at any step: as joiner, creator,
 * dropper, adopter, and with the control byte in hand. NREC records, so that
 * the table can be full. With -DDURABLE the group is durable, a Dropper removes
 * it on an operator's behalf, and a joiner that finds every record taken inherits
 * a dead member's with what is in it. With -DCREATED the group is there, and has
 * never had a member.
 *
 * Asserted: a member that lives has a group that is in the table and holds
 * producers back; a slot in use is not overwritten; one name is one group; a
 * group that goes on has delivered all from its start when it is drained; two
 * never hold a record; a FREE record's range is empty. A producer that waits for ever is an invalid end state.
 *
 *   -DORIG_GROUPFIRST  a joiner enters the group before it has a record, and
 *                      looks for the dead while it waits for one
 *   -DORIG_JOINEDLATE  `joined` is stored after the group is in the table
 *   -DORIG_INFLIGHT    who adopts steps over what is below announced, not below
 *                      acted. A producer announces what it found before a group
 *                      came: that can be above what the group's members then
 *                      take, and the message of one that dies is lost
 *   -DMUT_ACTFIRST     acted is raised to what the first scan found: the same
 *   -DMUT_NOACT        acted is not raised
 *   -DMUT_SCAN2        acted is raised, but nothing is looked at again
 *   -DORIG_PARTIAL     a drop gives up ranges before the group is out of the
 *                      table, and stops where somebody has a byte
 *   -DMUT_NOCONTROL    nobody takes the control byte
 *   -DMUT_BITFIRST     removal: the bit is cleared before the place is free
 *   -DMUT_USEDFIRST    creation: in the table before the bit is set
 *   -DMUT_NOORPHAN     a bit without a group is left standing
 *   -DMUT_KEEPRANGE    a record that becomes FREE keeps its range
 *   -DMUT_FREELEAVE    leaving with a message in hand stores FREE
 *   -DMUT_PLACE        a new group takes a place that records still name
 *   -DMUT_INHERITEMPTY who inherits a record empties it, as any other
 *   -DMUT_NOINHERIT    nobody inherits a record
 */
#ifndef C
#define C 1
#endif
#ifndef MAXP
#define MAXP 2
#endif
#ifndef NC
#define NC 2
#endif
#ifndef NREC
#define NREC 2
#endif
#ifndef NG
#define NG 1
#endif
#ifndef KILLS
#define KILLS 1
#endif
#define SLOT(p) (((p)-1)%C)
#define FREE 0
#define LIVE 1
#define DEAD 2
#define NONE 9
#define DROPPER (NC+1)

byte head=1, ann=1, acted=1, stamp[C], body[C];
#ifdef CREATED
byte act=1, gst[NG]=1, joined[NG], next[NG]=1;
#else
byte act, gst[NG], joined[NG], next[NG];
#endif
byte st[NREC], lk[NREC], grp[NREC], from[NREC]=1, to[NREC]=1;
byte ctl, kills=KILLS;
bit pdone;
byte ncons;                      /* ghost: consumers not done */
byte start[NG]=1; bit comp[NG*(MAXP+2)]; /* ghost: of the group that stands */
bit ccrash;

#define BIT(g) ((act>>(g))&1)
#define ISIN(r,g) (st[r]!=FREE && grp[r]==(g))
#define LIVEIN(r,g) (st[r]==LIVE && grp[r]==(g))
#if NREC>1
#define ANYLIVE(g) (LIVEIN(0,g) || LIVEIN(1,g))
#define DEADREC (REAPABLE(0) || REAPABLE(1))
#define FREEREC ((st[0]==FREE && lk[0]==0) || (st[1]==FREE && lk[1]==0))
#else
#define ANYLIVE(g) LIVEIN(0,g)
#define DEADREC REAPABLE(0)
#define FREEREC (st[0]==FREE && lk[0]==0)
#endif
/* would a look at this record get anywhere? */
#define REAPABLE(r) (st[r]!=FREE && lk[r]==0 && \
	(st[r]==LIVE || from[r]>=to[r] || grp[r]==myg))
#ifdef DURABLE
#define SETTLE1(g) 0
#else
#define SETTLE1(g) (gst[g]==1 && joined[g] && !ANYLIVE(g))
#endif
#ifdef MUT_NOORPHAN
#define ORPHAN(g) 0
#else
#define ORPHAN(g) (BIT(g) && gst[g]!=1)
#endif
#define B1(r,g) (!ISIN(r,g) || lk[r]==0)
#if NREC>1
#define BYTES(g) (B1(0,g) && B1(1,g))
#else
#define BYTES(g) B1(0,g)
#endif
#if NG>1
#define TOSETTLE (((ORPHAN(0) || SETTLE1(0)) && BYTES(0)) || ((ORPHAN(1) || SETTLE1(1)) && BYTES(1)))
#else
#define TOSETTLE ((ORPHAN(0) || SETTLE1(0)) && BYTES(0))
#endif

/* One step; a consumer may die in its place. */
#define DIE :: atomic { me>0 && kills>0 -> kills--; ccrash=1; goto gone }
#define S(x) if :: atomic { x } DIE fi
#ifdef MUT_NOCONTROL
#define CONTROL skip
#define UNCONTROL skip
#define TRYCONTROL(ok) ok=1
#else
#define CONTROL if :: atomic { ctl==0 -> ctl=me+1 } DIE fi
#define UNCONTROL S(ctl=0)
#define TRYCONTROL(ok) S(if :: ctl==0 -> ctl=me+1; ok=1 :: else -> ok=0 fi)
#endif
#define UNLOCKALL d_step { i=0; do :: i<NREC -> if :: lk[i]==me+1 -> lk[i]=0 :: else fi; i++ :: else -> break od; i=0; \
	if :: ctl==me+1 -> ctl=0 :: else fi }

/* A FREE record's range is empty: scans do not ask for the state. */
#ifdef MUT_KEEPRANGE
#define FREEIT(r) S(st[r]=FREE)
#else
#define FREEIT(r) S(from[r]=to[r]); S(st[r]=FREE)
#endif

#define RANGEOK(r) assert(st[r]!=FREE || from[r]>=to[r]);

/* Free the dead of a group, and what they held; all: nobody has a byte. */
inline clear(g) {
  all=1; i=0;
  do
  :: i<NREC && ISIN(i,g) ->
     if
     :: lk[i]==me+1
     :: lk[i]!=me+1 -> S(if :: lk[i]==0 -> lk[i]=me+1 :: else -> all=0 fi)
     fi;
     if
     :: lk[i]==me+1 && ISIN(i,g) ->
        S(st[i]=DEAD);
        FREEIT(i);
     :: else
     fi;
     if
     :: lk[i]==me+1 && i!=idx -> if :: i==adp -> adp=NONE :: else fi; S(lk[i]=0)
     :: else
     fi;
     i++
  :: i<NREC && !ISIN(i,g) -> i++
  :: i==NREC -> break
  od;
  i=0
}

/* Remove a group that nobody alive is in; the control byte is held. */
inline drop(g) {
  if
  :: ANYLIVE(g) -> skip
  :: else ->
#if defined(ORIG_PARTIAL)
     clear(g);
     if :: all -> S(gst[g]=0); S(act=act & ~(1<<g)) :: else fi;
#elif defined(MUT_BITFIRST)
     S(act=act & ~(1<<g)); S(gst[g]=0); clear(g);
#else
     S(gst[g]=0);                 /* from here on nobody joins it */
     clear(g);
     if :: all -> S(act=act & ~(1<<g)) :: else fi;
#endif
     all=0
  fi
}

/* What a look does about groups; the control byte is held. */
inline settle() {
  g=0;
  do
#ifdef ORIG_PARTIAL
  :: g<NG && ORPHAN(g) -> S(act=act & ~(1<<g)); g++
#else
  :: g<NG && ORPHAN(g) -> clear(g); if :: all -> S(act=act & ~(1<<g)) :: else fi; all=0; g++
#endif
  :: g<NG && !ORPHAN(g) && SETTLE1(g) -> drop(g); g++
  :: g<NG && !ORPHAN(g) && !SETTLE1(g) -> g++
  :: g==NG -> break
  od;
  g=0
}

/* Look for the dead: myg our group, idx our record, adp the one we adopted. */
inline look(havectl) {
  j=0;
  do
  :: j<NREC && (j==idx || j==adp || st[j]==FREE) -> j++
  :: j<NREC && j!=idx && j!=adp && st[j]!=FREE ->
     S(if :: lk[j]==0 -> lk[j]=me+1 :: else fi);
     if
     :: lk[j]==me+1 ->
        S(if :: st[j]==FREE -> lk[j]=0 :: else -> st[j]=DEAD fi);
        if
        :: lk[j]==me+1 -> S(joined[grp[j]]=1) /* it was here */
        :: else
        fi;
        if
        :: lk[j]!=me+1 -> skip
        :: lk[j]==me+1 && from[j]>=to[j] -> FREEIT(j); S(lk[j]=0)
        :: lk[j]==me+1 && from[j]<to[j] && grp[j]==myg && adp==NONE -> adp=j
        :: lk[j]==me+1 && from[j]<to[j] && !(grp[j]==myg && adp==NONE) -> S(lk[j]=0)
        fi
     :: else
     fi;
     j++
  :: j==NREC -> break
  od;
  j=0;
  if
  :: havectl -> settle()
  :: !havectl && TOSETTLE ->
     TRYCONTROL(ok);
     if :: ok -> settle(); UNCONTROL :: else fi; ok=0
  :: !havectl && !TOSETTLE
  fi
}

#define USE(p) \
  S(assert(body[SLOT(p)]==p)); \
  S(assert(body[SLOT(p)]==p); comp[myg*(MAXP+2)+p]=1)

/* One scan: head, act, tails, then every consumer's range. */
#define SCAN(l) \
  l=head; a=act; f=0; \
  do \
  :: f<NG && ((a>>f)&1) -> atomic { if :: next[f]<l -> l=next[f] :: else fi; f++ } \
  :: f<NG && !((a>>f)&1) -> f++ \
  :: else -> break \
  od; \
  f=0; \
  if \
  :: a!=0 -> \
     do \
     :: f<NREC -> x=from[f]; atomic { if :: x<to[f] && x<l -> l=x :: else fi; x=0; f++ } \
     :: else -> break \
     od \
  :: else \
  fi; \
  f=0

#ifdef ORIG_PARTIAL
#define PLACE(g) (gst[g]!=1)
#else
#if NREC>1
#define NAMED(g) (ISIN(0,g) || ISIN(1,g))
#else
#define NAMED(g) ISIN(0,g)
#endif
#ifdef MUT_PLACE
#define PLACE(g) (gst[g]!=1 && !BIT(g))
#else
#define PLACE(g) (gst[g]!=1 && !BIT(g) && !NAMED(g))
#endif
#endif
#if NG>1
#define NOGROUP (gst[0]!=1 && gst[1]!=1)
#define NOPLACE (!PLACE(0) && !PLACE(1))
#else
#define NOGROUP (gst[0]!=1)
#define NOPLACE (!PLACE(0))
#endif
#if NREC>1
#define ALLEMPTY (from[0]>=to[0] && from[1]>=to[1])
#define RFREE(r,l) (from[r]>=to[r] || from[r]>(l))
#define RABOVE(l) (RFREE(0,l) && RFREE(1,l))
#else
#define ALLEMPTY (from[0]>=to[0])
#define RABOVE(l) (from[0]>=to[0] || from[0]>(l))
#endif
#if NG>1
#define GABOVE(l) ((!BIT(0) || next[0]>(l)) && (!BIT(1) || next[1]>(l)))
#else
#define GABOVE(l) (!BIT(0) || next[0]>(l))
#endif

/* Is it a group, or a record that it left to one, that holds low down? */
#define HOLDS1(r,l) (st[r]!=FREE && from[r]<to[r] && from[r]<=(l))
#if NREC>1
#define HOLDS(l) (!GABOVE(l) || HOLDS1(0,l) || HOLDS1(1,l))
#else
#define HOLDS(l) (!GABOVE(l) || HOLDS1(0,l))
#endif

active proctype Prod() {
  byte h, l, low, a, f, x, i, j, g, v; bit all, ok;
  byte me=0, idx=NONE, adp=NONE, myg=NONE;
  do
  :: head>MAXP -> break
  :: else ->
     h=head;
     if
     :: h>=low+C ->
        SCAN(l);
        if :: a==0 && l>h+1+C/8-C -> l=h+1+C/8-C :: else fi;
        atomic { if :: l>ann -> ann=l :: else fi; low=l };
#ifdef MUT_ACTFIRST
        atomic { if :: low>acted -> acted=low :: else fi };
#endif
        SCAN(l);
        if :: l<low -> low=l :: else fi;
        if
        :: a==0 -> skip                    /* a later group starts above */
        :: else ->
#if !defined(MUT_NOACT) && !defined(MUT_ACTFIRST)
           atomic { if :: low>acted -> acted=low :: else fi };
#endif
#ifndef MUT_SCAN2
           SCAN(l);
           if :: l<low -> low=l :: else fi;
#endif
        fi;
        l=0; a=0
     :: else
     fi;
     if
     :: h>=low+C ->
        if                                 /* full: what would change that? */
        :: act==0 || (GABOVE(low) && RABOVE(low)) -> skip
        :: DEADREC || (TOSETTLE && ctl==0) -> look(0)
#if defined(DURABLE) || defined(CREATED)
        :: ncons==0 && HOLDS(low) -> goto bye /* as it should be */
#endif
        fi
     :: else ->
        head=h+1;
        body[SLOT(h)]=h;
        stamp[SLOT(h)]=h
     fi;
     h=0
  od;
bye: pdone=1;
  goto end;
gone: skip;                                /* never: producers live here */
end: skip
}

/* Find or create the group: myg; NONE when there is no place for it. */
inline enter() {
  g=NONE;
  if
  :: gst[0]==1 -> myg=0
#if NG>1
  :: gst[0]!=1 && gst[1]==1 -> myg=1
#endif
  :: NOGROUP ->
     if
     :: PLACE(0) -> g=0
#if NG>1
     :: PLACE(1) -> g=1
#endif
     :: NOPLACE -> goto nogroup
     fi;
     S(v=ann);
     S(joined[g]=0; next[g]=v);
#ifdef MUT_USEDFIRST
     S(gst[g]=1);
#endif
     S(act=act | (1<<g));
     S(v=ann);
     S(if :: v>next[g] -> next[g]=v :: else fi; start[g]=next[g];
       i=0; do :: i<MAXP+2 -> comp[g*(MAXP+2)+i]=0; i++ :: else -> break od; i=0; v=0);
#ifndef ORIG_JOINEDLATE
     S(joined[g]=1);
#endif
     S(assert(NOGROUP || gst[g]==1); gst[g]=1);
     myg=g;
  fi;
nogroup: g=0
}

/* Of a durable group: a dead member's record, with what is in it. */
#define HEIR(r) (gst[0]==1 && !FREEREC && ISIN(r,0) && st[r]==DEAD && lk[r]==0 && from[r]<to[r])
#ifdef DURABLE
#if NREC>1
#define HEIRS (HEIR(0) || HEIR(1))
#else
#define HEIRS HEIR(0)
#endif
#else
#define HEIRS 0
#endif
#if defined(DURABLE) && !defined(MUT_NOINHERIT)
#define INHERIT(r) :: atomic { HEIR(r) -> lk[r]=me+1; idx=r; adp=r } break
#else
#define INHERIT(r)
#endif

/* Take a free record, looking for the dead while there is none: idx. */
inline record() {
  do
  INHERIT(0)
#if NREC>1
  INHERIT(1)
#endif
  :: atomic { st[0]==FREE && lk[0]==0 -> lk[0]=me+1; idx=0 } break
#if NREC>1
  :: atomic { st[1]==FREE && lk[1]==0 -> lk[1]=me+1; idx=1 } break
#endif
  :: !FREEREC && DEADREC -> look(1)
#ifdef MUT_NOINHERIT
  :: !FREEREC -> assert(!HEIRS); break /* nobody else would come to adopt */
#else
  :: !FREEREC && !HEIRS -> break
#endif
  DIE
  od;
  /* the state again, under the byte */
  if
  :: idx!=NONE && st[idx]!=(adp==idx -> DEAD : FREE) -> S(lk[idx]=0); idx=NONE; adp=NONE
  :: else
  fi
}

proctype Cons(byte me) {
  byte idx=NONE, adp=NONE, myg=NONE, t, v, i, j, g; bit all, ok;
  if :: skip :: goto out fi;
  CONTROL;
  look(1);
#ifdef ORIG_GROUPFIRST
  enter();
  record();
#else
  record();
  if :: idx!=NONE -> enter() :: else fi;
#endif
  if
  :: idx==NONE || myg==NONE -> goto cancel /* a table is full */
  :: else
  fi;
#ifdef MUT_INHERITEMPTY
  S(grp[idx]=myg; from[idx]=to[idx]; adp=NONE);
#else
  S(grp[idx]=myg; if :: adp!=idx -> from[idx]=to[idx] :: else fi);
#endif
  S(st[idx]=LIVE; assert(gst[myg]==1 && BIT(myg)));
  UNCONTROL;
  S(joined[myg]=1);
loop:
  assert(st[idx]==LIVE && lk[idx]==me+1);
  assert(gst[myg]==1 && BIT(myg));
  if
  :: adp!=NONE ->                          /* what a dead member ncons */
     assert(ccrash || NC>1);
     do
     :: from[adp]<to[adp] ->
#ifdef ORIG_INFLIGHT
        S(v=ann);
#else
        S(v=acted);
#endif
        t=from[adp];
        S(ok=(t>=v && stamp[SLOT(t)]==t));
        if :: ok -> USE(t) :: else fi;
        S(from[adp]=t+1; ok=0; t=0; v=0)
     :: else -> break
     od;
     if
     :: adp==idx -> adp=NONE               /* inherited: it is our own */
     :: else -> FREEIT(adp); S(lk[adp]=0; adp=NONE)
     fi
  :: else
  fi;
  S(t=next[myg]);
  S(ok=(stamp[SLOT(t)]==t));
  if
  :: ok ->
     ok=0;
     S(from[idx]=t);
     S(to[idx]=t+1);
     S(if :: next[myg]==t -> next[myg]=t+1 :: else -> ok=1 fi);
     if
     :: ok -> S(from[idx]=to[idx]; ok=0; t=0); goto loop
     :: else
     fi;
     if :: skip :: all=1; goto leave fi;   /* with a message in hand */
     USE(t);
     S(from[idx]=t+1; t=0);
     goto loop
  :: !ok ->
     t=0;
     if
     :: stamp[SLOT(next[myg])]==next[myg] -> goto loop
     :: DEADREC || (TOSETTLE && ctl==0) -> look(0); goto loop
     :: pdone && head==next[myg] && ALLEMPTY ->
        atomic { i=start[myg]; do :: i<head -> assert(comp[myg*(MAXP+2)+i]); i++ :: else -> break od; i=0 };
        goto leave
     :: goto leave                         /* because it likes to */
     DIE
     fi
  fi;
leave:
  CONTROL;
#ifdef MUT_FREELEAVE
  all=0;
#endif
  if
  :: all || from[idx]<to[idx] && adp==idx -> S(st[idx]=DEAD; all=0; t=0)
  :: else -> t=0; FREEIT(idx)
  fi;
#ifndef DURABLE
  if
  :: gst[myg]==1 && joined[myg] -> g=myg; drop(g); g=0
  :: else
  fi;
#endif
cancel:
  S(if :: idx!=NONE && lk[idx]==me+1 -> lk[idx]=0 :: else fi; idx=NONE);
  if :: adp!=NONE && idx!=adp -> S(if :: lk[adp]==me+1 -> lk[adp]=0 :: else fi; adp=NONE) :: else fi;
  UNCONTROL;
  goto out;
gone:
  atomic { UNLOCKALL; idx=NONE; adp=NONE; myg=NONE; t=0; v=0; j=0; g=0; all=0; ok=0 };
out:
  atomic { ncons--; RANGEOK(0)
#if NREC>1
    RANGEOK(1)
#endif
  }
}

#ifdef DURABLE
proctype Dropper() {
  byte idx=NONE, adp=NONE, myg=NONE, i, j, g; bit all, ok; byte me=DROPPER;
  if :: skip :: goto out fi;
  CONTROL;
  look(1);
  if :: gst[0]==1 -> drop(0) :: else fi;
  UNCONTROL;
  goto out;
gone:
  atomic { UNLOCKALL; j=0; g=0; all=0; ok=0 };
out: skip
}
#endif

init { atomic {
  ncons=NC;
  run Cons(1);
#if NC>1
  run Cons(2);
#endif
#if NC>2
  run Cons(3);
#endif
#ifdef DURABLE
  run Dropper();
#endif
} }
