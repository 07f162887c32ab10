import type { Member } from '@kelpie/sdk';
import { useState } from 'react';
import { useMembers } from '../../data/reads.ts';
import { useIsAdmin, useSession } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { ChangeMember } from './change-member.tsx';
import { InviteMember } from './invite-member.tsx';

const columns = [
  { title: 'Member' },
  { title: 'Role', className: 'max-sm:hidden' },
  { title: 'Last sign-in', className: 'max-md:hidden' },
  { title: 'Edit', isHidden: true },
];

export function Screen() {
  const isAdmin = useIsAdmin();
  const members = useMembers();
  const [isInviting, setInviting] = useState(false);
  const { data, error } = members;
  return (
    <Page
      title="Team"
      lead="People who can sign in to this account. Admins can send payouts and change settings. Viewers have read-only access."
      action={
        isAdmin && (
          <Button kind="primary" onClick={() => setInviting(true)}>
            <Icon name="plus" />
            Invite member
          </Button>
        )
      }
    >
      {error !== null && data === undefined && (
        <Problem error={error} title="The team could not be loaded." onRetry={() => void members.refetch()} />
      )}
      {members.isPending && <Rows count={3} />}
      {data !== undefined && (
        <Table label="Team" columns={columns}>
          {data.map((member) => (
            <MemberRow key={member.email} member={member} />
          ))}
        </Table>
      )}
      <InviteMember isOpen={isInviting} onClose={() => setInviting(false)} />
    </Page>
  );
}

const roles = { admin: 'Admin', viewer: 'Viewer' };

function MemberRow({ member }: { member: Member }) {
  const isAdmin = useIsAdmin();
  const { email: own } = useSession();
  const { email, name, role, last_login_at: lastLoginAt } = member;
  return (
    <Row>
      <Cell className="max-w-0 w-full sm:w-1/2">
        <div className="grid min-w-0 gap-0.5">
          <span className="truncate font-medium">
            {name ?? email}
            {email === own && <span className="font-normal text-muted"> (you)</span>}
          </span>
          <span className="truncate text-small text-muted">
            {name !== null && email}
            <span className="sm:hidden">
              {name !== null && ' · '}
              {roles[role]}
            </span>
          </span>
        </div>
      </Cell>
      <Cell className="max-sm:hidden">{roles[role]}</Cell>
      <Cell className="max-md:hidden whitespace-nowrap text-muted">
        {lastLoginAt === null ? 'Never' : <Timestamp at={lastLoginAt} />}
      </Cell>
      <Cell className="text-right">{isAdmin && <ChangeMember member={member} />}</Cell>
    </Row>
  );
}
