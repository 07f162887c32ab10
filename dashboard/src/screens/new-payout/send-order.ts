import type { CreatePayoutRequest, Payout } from '@kelpie/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useEnvironment, useKelpie } from '../../data/environment.ts';
import { challengeOf, prove } from '../../data/passkeys.ts';
import { useSession } from '../../data/session.ts';
import { AnotherOrder, mayExistAfter, outcomeOf, type Outcome } from './outcome.ts';
import { digestOf, findSentOrder, forgetSentOrder, rememberSentOrder, type SentOrder } from './sent-order.ts';

function newKey(): string {
  return `dashboard-${crypto.randomUUID()}`;
}

interface Attempt {
  order: CreatePayoutRequest;
  code: string | undefined;
  sentAtMs: number;
}

export interface Sending {
  key: string;
  outcome: Outcome;
  isSending: boolean;
  /** What was sent before this page was opened, and whose outcome is not known. */
  unresolved: SentOrder | undefined;
  /** With the emailed code where one is required; without it to request a code, or where none is required. */
  send: (order: CreatePayoutRequest, code?: string) => void;
  /** Back to the form. Not where the outcome is unknown: another order under another key could pay twice. */
  startOver: () => void;
  /** It is known what became of the unresolved one: the next order is a new one. */
  settleUnresolved: () => void;
}

/**
 * The idempotency key is made with the form: however often it is sent, one payout comes of it. What was sent is written
 * down before it goes, and crossed out once the API has said for certain what became of it.
 */
export function useSending(onSent: (payout: Payout) => void): Sending {
  const kelpie = useKelpie();
  const environment = useEnvironment();
  const scope = { environment, account: useSession().account.id };
  const client = useQueryClient();
  const [unresolved, setUnresolved] = useState(() => findSentOrder(sessionStorage, scope));
  const [key, setKey] = useState(() => unresolved?.key ?? newKey());
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'nothing-yet' });
  const isUnderWay = useRef(false);
  /** What a passkey has to sign beside the code. */
  const challenge = useRef<ReturnType<typeof challengeOf>>(undefined);
  const mayExist = unresolved !== undefined || mayExistAfter(outcome);
  const sending = useMutation({
    mutationFn: async ({ order, code, sentAtMs }: Attempt) => {
      if (code !== undefined && challenge.current !== undefined) {
        await prove(challenge.current);
        challenge.current = undefined;
      }
      const digest = await digestOf(order, key);
      const before = findSentOrder(sessionStorage, scope) ?? unresolved;
      if (before !== undefined && (before.key !== key || before.digest !== digest)) throw new AnotherOrder();
      // From now on it is not known of this attempt, however long ago the first one was.
      const sent = { key, digest, sentAtMs };
      rememberSentOrder(sessionStorage, scope, sent);
      if (unresolved !== undefined) setUnresolved(sent);
      return kelpie.payouts.create(code === undefined ? order : { ...order, confirm_code: code }, {
        idempotencyKey: key,
      });
    },
    // These are called also where the page was left meanwhile.
    onSuccess: ({ payout }) => {
      forgetSentOrder(sessionStorage, scope, key);
      client.setQueryData([environment, 'payout', payout.id], payout);
      void client.invalidateQueries({ queryKey: [environment] });
    },
    onError: (error, { sentAtMs }) => {
      isUnderWay.current = false;
      challenge.current = challengeOf(error) ?? challenge.current;
      const now = outcomeOf(error, mayExist);
      if (!mayExistAfter(now)) {
        // Another page may have sent the same since: of that, this answer says nothing.
        if (findSentOrder(sessionStorage, scope)?.sentAtMs === sentAtMs) forgetSentOrder(sessionStorage, scope, key);
        setUnresolved(undefined);
      }
      setOutcome(now);
    },
  });
  useAskBeforeUnload(sending.isPending || outcome.kind === 'unknown');
  return {
    key,
    outcome,
    // Also after it was created, until its page is loaded: there is nothing left to send.
    isSending: sending.isPending || sending.isSuccess,
    unresolved,
    send(order, code) {
      // A second click comes before the page has shown the first one.
      if (isUnderWay.current) return;
      isUnderWay.current = true;
      // Passed here, it is not called once the person has left the page, so they are not taken away from another one.
      sending.mutate({ order, code, sentAtMs: Date.now() }, { onSuccess: ({ payout }) => onSent(payout) });
    },
    startOver() {
      if (outcome.kind === 'unknown' || (outcome.kind === 'code-wanted' && outcome.mayExist)) return;
      // What was refused for certain left nothing behind; a changed order is another one, with a key of its own.
      if (!mayExist) {
        forgetSentOrder(sessionStorage, scope, key);
        setKey(newKey());
      }
      setOutcome({ kind: 'nothing-yet' });
    },
    settleUnresolved() {
      if (unresolved === undefined || isUnderWay.current) return;
      forgetSentOrder(sessionStorage, scope, unresolved.key);
      setUnresolved(undefined);
      setKey(newKey());
      setOutcome({ kind: 'nothing-yet' });
    },
  };
}

/** The browser asks whether one really wants to leave. */
function useAskBeforeUnload(isAsked: boolean): void {
  useEffect(() => {
    if (!isAsked) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isAsked]);
}
