import type { PayoutRequest } from '@kelpie/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { useConfirmed } from '../../data/confirmed.ts';
import { useAddress, useEnvironment, useKelpie } from '../../data/environment.ts';
import { usePayoutRequest } from '../../data/reads.ts';
import { useIsAdmin, useSession } from '../../data/session.ts';
import { formatPounds } from '../../format/money.ts';
import { reasonsText, requestStatusLabels } from '../../format/request-labels.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmAct } from '../../ui/confirm-code.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';

export interface Deciding {
  id: string;
  /** Which button has the focus when it opens: a key that is pressed by mistake decides nothing. */
  begins: 'look' | 'approve' | 'decline';
  onClose: () => void;
}

/** One payout that waits, with all that an admin needs to decide. */
export function DecideRequest({ id, begins, onClose }: Deciding) {
  const { data, error, refetch } = usePayoutRequest(id);
  const [isSticky, setSticky] = useState(false);
  return (
    <Dialog title="Approve this payout?" isOpen onClose={onClose} isSticky={isSticky}>
      {data === undefined && error === null && <Rows count={4} />}
      {data === undefined && error !== null && (
        <Problem error={error} title="The payout could not be loaded." onRetry={() => void refetch()} />
      )}
      {data !== undefined && <Decision request={data} begins={begins} onClose={onClose} onSticky={setSticky} />}
    </Dialog>
  );
}

interface DecisionProps extends Pick<Deciding, 'begins' | 'onClose'> {
  request: PayoutRequest;
  onSticky: (isSticky: boolean) => void;
}

function Decision({ request, begins, onClose, onSticky }: DecisionProps) {
  const kelpie = useKelpie();
  const environment = useEnvironment();
  const client = useQueryClient();
  const refresh = async () => client.invalidateQueries({ queryKey: [environment] });
  const deciding = useConfirmed({
    act: async (what: 'approve' | 'decline', options) =>
      what === 'approve'
        ? kelpie.payoutRequests.approve(request.id, options)
        : kelpie.payoutRequests.decline(request.id),
    onSuccess: onClose,
    onSettled: refresh,
  });
  const problem = deciding.error !== null && (
    <Problem
      error={deciding.error}
      title="The payout was not decided."
      unknown="We don't know whether the payout was decided."
    />
  );
  if (deciding.isCodeWanted)
    return (
      <ConfirmAct
        confirming={deciding}
        what={
          <>
            a payout of {formatPounds(request.amount_gbp)} to <bdi>{request.recipient.name ?? ''}</bdi>
          </>
        }
        action="Approve payout"
        onCancel={() => {
          onSticky(false);
          deciding.reset();
        }}
        problem={problem}
      />
    );
  return (
    <>
      <RequestFacts request={request} />
      {problem}
      <Actions
        request={request}
        begins={begins}
        isWorking={deciding.isPending}
        onClose={onClose}
        onDecide={(what) => {
          onSticky(what === 'approve');
          deciding.run(what);
        }}
      />
    </>
  );
}

interface ActionsProps extends Pick<Deciding, 'begins' | 'onClose'> {
  request: PayoutRequest;
  isWorking: boolean;
  onDecide: (what: 'approve' | 'decline') => void;
}

function Actions({ request, begins, isWorking, onClose, onDecide }: ActionsProps) {
  const isAdmin = useIsAdmin();
  const { email } = useSession();
  if (request.status !== 'open' || !isAdmin)
    return (
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    );
  const isOwn = request.requested_by === email;
  return (
    <>
      {isOwn && <p>You asked for this payout. Another admin has to approve it.</p>}
      <DialogActions>
        <Button className="mr-auto" kind="quiet" onClick={onClose}>
          Close
        </Button>
        <Button
          kind="danger"
          autoFocus={begins === 'decline'}
          isWorking={isWorking}
          onClick={() => onDecide('decline')}
        >
          Decline payout
        </Button>
        {!isOwn && (
          <Button
            kind="primary"
            autoFocus={begins !== 'decline'}
            isWorking={isWorking}
            onClick={() => onDecide('approve')}
          >
            Approve payout
          </Button>
        )}
      </DialogActions>
    </>
  );
}

function RequestFacts({ request }: { request: PayoutRequest }) {
  const address = useAddress();
  const { recipient, reference, payout_id: payoutId, decided_by: decidedBy } = request;
  return (
    <Facts>
      <Fact name="Status">{requestStatusLabels[request.status]}</Fact>
      <Fact name="Amount">
        <strong className="figures font-semibold">{formatPounds(request.amount_gbp)}</strong>
      </Fact>
      <Fact name="Recipient">
        <bdi>{recipient.name ?? 'Erased'}</bdi>
      </Fact>
      <Fact name="Account">Ending {recipient.account_last4 ?? '····'}</Fact>
      {reference !== null && (
        <Fact name="Reference">
          <bdi>{reference}</bdi>
        </Fact>
      )}
      <Fact name="Needs approval for">{reasonsText(request)}</Fact>
      <Fact name={request.requested_via === 'api' ? 'Requested by API key' : 'Requested by'}>
        {request.requested_by}
      </Fact>
      <Fact name="Requested">
        <Timestamp at={request.created_at} />
      </Fact>
      {request.status === 'open' && (
        <Fact name="Expires">
          <Timestamp at={request.expires_at} />
        </Fact>
      )}
      {decidedBy !== null && <Fact name="Decided by">{decidedBy}</Fact>}
      {payoutId !== null && (
        <Fact name="Payout">
          <Link to={address(`/payouts/${payoutId}`)} className="text-tide underline underline-offset-2">
            View payout
          </Link>
        </Fact>
      )}
    </Facts>
  );
}
