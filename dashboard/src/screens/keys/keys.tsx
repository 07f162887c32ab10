import type { ApiKey } from '@kelpie/sdk';
import { useState } from 'react';
import { useEnvironment } from '../../data/environment.ts';
import { useKeys } from '../../data/reads.ts';
import { useIsAdmin } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { CreateKey } from './create-key.tsx';
import { isExpired, keyNotes } from './key-notes.ts';
import { RevokeKey } from './revoke-key.tsx';
import { RollKey } from './roll-key.tsx';

const mostKeys = 5;

const columns = [
  { title: 'Key' },
  { title: 'Created', className: 'max-md:hidden' },
  { title: 'Last used', className: 'max-sm:hidden' },
  { title: 'Actions', isHidden: true },
];

/** The keys of the current environment: sandbox and live keys are never listed together. */
export function Screen() {
  const environment = useEnvironment();
  const isAdmin = useIsAdmin();
  const [isCreating, setCreating] = useState(false);
  const keys = useKeys();
  const own = keys.data?.filter((key) => key.environment === environment);
  const active = own?.filter((key) => key.revoked_at === null && !isExpired(key, keys.dataUpdatedAt)) ?? [];
  const isFull = active.length >= mostKeys;
  const create = isAdmin && (
    <Button kind="primary" disabled={isFull} onClick={() => setCreating(true)}>
      <Icon name="plus" />
      Create key
    </Button>
  );
  return (
    <Page
      title="API keys"
      lead={`Your server uses a ${environment} key to call the API for this account. ${isFull ? 'You have five active keys, the maximum. Revoke one to create another.' : 'You can have up to five active keys.'}`}
      action={create}
    >
      {own === undefined &&
        (keys.error === null ? (
          <Rows count={3} />
        ) : (
          <Problem error={keys.error} title="API keys could not be loaded." onRetry={() => void keys.refetch()} />
        ))}
      {own !== undefined && <KeyTable keys={own} readAtMs={keys.dataUpdatedAt} />}
      <CreateKey isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

/** `readAtMs`: the list is read again every few seconds, which moves along what has expired. */
function KeyTable({ keys, readAtMs }: { keys: readonly ApiKey[]; readAtMs: number }) {
  const environment = useEnvironment();
  const isAdmin = useIsAdmin();
  if (keys.length === 0) {
    return (
      <Empty title={`No ${environment} keys yet`}>
        {isAdmin ? 'Create a key to call the API from your server.' : 'Only an admin can create a key.'}
      </Empty>
    );
  }
  return (
    <Table label="API keys" columns={columns}>
      {keys.map((key) => (
        <KeyRow key={key.id} apiKey={key} readAtMs={readAtMs} />
      ))}
    </Table>
  );
}

function KeyRow({ apiKey, readAtMs }: { apiKey: ApiKey; readAtMs: number }) {
  const isAdmin = useIsAdmin();
  const { key_prefix: prefix, label, created_at: createdAt, last_used_at: usedAt, revoked_at: revokedAt } = apiKey;
  const isRevoked = revokedAt !== null;
  const notes = isRevoked ? [] : keyNotes(apiKey, readAtMs);
  return (
    <Row>
      <Cell className="max-w-0 w-full sm:w-1/2">
        <div className="grid min-w-0 gap-0.5">
          <span className={classNames('truncate font-medium', isRevoked && 'text-muted')}>{label ?? 'No label'}</span>
          <code className="truncate font-mono text-small text-muted">{prefix}…</code>
          {notes.length > 0 && <span className="text-small text-muted">{notes.join(' · ')}</span>}
        </div>
      </Cell>
      <Cell className="max-md:hidden whitespace-nowrap text-muted">
        <Timestamp at={createdAt} />
      </Cell>
      <Cell className="max-sm:hidden whitespace-nowrap text-muted">
        {usedAt === null ? 'Never' : <Timestamp at={usedAt} />}
      </Cell>
      <Cell className="text-right whitespace-nowrap">
        {isRevoked ? (
          <span className="text-muted">
            Revoked <Timestamp at={revokedAt} to="date" />
          </span>
        ) : (
          <div className="flex justify-end max-sm:flex-col max-sm:items-end">
            {isExpired(apiKey, readAtMs) ? (
              <span className="self-center px-2 text-failed max-sm:self-end max-sm:px-0">Expired</span>
            ) : (
              isAdmin && <RollKey apiKey={apiKey} />
            )}
            {isAdmin && <RevokeKey apiKey={apiKey} />}
          </div>
        )}
      </Cell>
    </Row>
  );
}
