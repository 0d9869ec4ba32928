/* SPDX-License-Identifier: MIT */
/*
 * tenure.pml - who lost its lock byte, and the next owner of its record
 *
 * Something closed the descriptor of producer Z behind its back, so its byte is
 * free while it lives. A reaper takes it for dead; a newcomer N takes the
 * record, claims a position and may die with it. Z claims meanwhile: it sees by
 * the tenure that the record is not its own. A consumer waits for every claimed
 * position to be published or void, and looks for the dead.
 *
 * Asserted: a position that is claimed by a producer that lives, and not
 * published, is covered by its range (invariant P). Waiting for ever is an
 * invalid end state.
 *
 *   -DORIG_EMPTIES  Z empties the record's range when it sees that it is not
 *                   its own any more
 *   -DMUT_NOTENURE  Z looks for LIVE alone
 */
#define FREE 0
#define LIVE 1
#define DEAD 2
#define NPOS 4
byte st=LIVE, tenure=1, from=1, to=1, lk;      /* the record; nobody has it */
byte head=1, stamp[NPOS];                      /* 1 published, 2 void */
byte own[NPOS];                                /* ghost: 1 Z, 2 N, 3 dead */
bit nlive, ndone, zdone;

/* Of Z and N, between look and claim: Z is not to be caught in the middle. */
active proctype Z() {
  byte h;
  atomic {                                     /* looks, and gets or gives up */
#ifdef MUT_NOTENURE
    if
    :: st==LIVE -> h=head; from=h; to=h+1; head=h+1; own[h]=1; goto fill
    :: else -> goto out
    fi
#else
    if
    :: st==LIVE && tenure==1 -> goto out       /* not reaped: not this story */
    :: else
    fi
#endif
  };
#ifdef ORIG_EMPTIES
  from=to;                                     /* claim.c:without_claim() */
#endif
  goto out;
fill: stamp[h]=1;
out: zdone=1
}

active proctype N() {
  byte h;
  if
  :: atomic { st==FREE && lk==0 -> lk=2 }
  :: zdone -> goto out
  fi;
  if :: st!=FREE -> lk=0; goto out :: else fi;
  from=to;
  atomic { st=LIVE; tenure++; nlive=1 };
  h=head;
  from=h;
  to=h+1;
  atomic { if :: head==h -> head=h+1; own[h]=2 :: else -> goto leave fi };
  if
  :: atomic { lk=0; nlive=0; own[h]=3 }; goto out         /* killed */
  :: atomic { assert(from<=h && h<to); stamp[h]=1; own[h]=0 }
  fi;
leave:
  from=to;
  st=FREE;
  atomic { lk=0; nlive=0 };
out: ndone=1
}

/* A consumer that waits, and reaps. */
active proctype Waiter() {
  byte p=1;
  do
  :: p<head && stamp[p]!=0 -> p++
  :: atomic { st!=FREE && lk==0 -> lk=1 };
     if
     :: st==FREE -> skip
     :: else ->
        st=DEAD;
        if
        :: from<to && from<head && stamp[from]==0 -> stamp[from]=2
        :: else
        fi;
        from=to;
        st=FREE
     fi;
     lk=0
  :: zdone && ndone && p==head && (st==FREE || lk!=0) -> break
  od
}
