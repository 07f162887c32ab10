import type { Passkey } from '@kelpie/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConfirmed } from '../../data/confirmed.ts';
import { useAccountKelpie } from '../../data/environment.ts';
import { addPasskey } from '../../data/passkeys.ts';
import { passkeyRuleKey, passkeysKey, usePasskeyRule, usePasskeys } from '../../data/reads.ts';
import { useIsAdmin } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-code.tsx';
import { Field } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';

const columns = [{ title: 'Passkey' }, { title: 'Last used' }, { title: 'Remove', isHidden: true }];

/** One's own passkeys for this account, and whether it requires them. */
export function Passkeys() {
  const { data, error, refetch } = usePasskeys();
  return (
    <Section title="Passkeys">
      <p className="text-muted">
        With a passkey, someone who reads your email can neither sign in as you nor confirm a change.
      </p>
      {error !== null && data === undefined && (
        <Problem error={error} title="Passkeys could not be loaded." onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Rows count={1} />}
      {data !== undefined && data.length > 0 && (
        <Table label="Passkeys" columns={columns}>
          {data.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </Table>
      )}
      {data !== undefined && <AddPasskey />}
      <Rule />
    </Section>
  );
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const kelpie = useAccountKelpie();
  const client = useQueryClient();
  const removing = useConfirmed({
    act: async (id: string, options) => kelpie.passkeys.remove(id, options),
    onSettled: async () => client.invalidateQueries({ queryKey: passkeysKey }),
  });
  return (
    <Row>
      <Cell className="w-full max-w-0 truncate font-medium">{passkey.name}</Cell>
      <Cell className="whitespace-nowrap text-muted">
        {passkey.last_used_at === null ? 'Never' : <Timestamp at={passkey.last_used_at} />}
      </Cell>
      <Cell className="text-right whitespace-nowrap">
        <Button
          kind="quiet"
          className="-mr-2"
          isWorking={removing.isPending}
          aria-label={`Remove ${passkey.name}`}
          onClick={() => removing.run(passkey.id)}
        >
          Remove
        </Button>
        {removing.error !== null && <Problem error={removing.error} title="The passkey was not removed." />}
      </Cell>
    </Row>
  );
}

function AddPasskey() {
  const kelpie = useAccountKelpie();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const creating = useMutation({
    mutationFn: addOptions,
    onSuccess: () => setName(''),
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: passkeysKey });
      await client.invalidateQueries({ queryKey: passkeyRuleKey });
    },
  });
  const beginning = useConfirmed({
    act: async (_: string, options) => kelpie.passkeys.begin(options),
    onSuccess: (options) => creating.mutate({ options, name: name.trim() }),
  });
  const error = beginning.error ?? creating.error;
  const problem = error === null ? undefined : <Problem error={error} title="The passkey was not added." />;
  return (
    <>
      <form
        className="grid max-w-md gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          beginning.run(name);
        }}
      >
        <Field
          label="Name of the passkey"
          isRequired
          value={name}
          onChange={setName}
          hint="For example, the device it is on."
        />
        {problem}
        <div>
          <Button type="submit" isWorking={beginning.isPending || creating.isPending} disabled={name.trim() === ''}>
            Add passkey
          </Button>
        </div>
      </form>
      {/* Not in the form: React passes the submit of the code on to it, and it would ask for another code. */}
      <ConfirmDialog
        confirming={beginning}
        what="that you add a passkey"
        action="Continue"
        onCancel={() => beginning.reset()}
        problem={problem}
      />
    </>
  );
}

async function addOptions({ options, name }: { options: Parameters<typeof addPasskey>[0]; name: string }) {
  return addPasskey(options, name);
}

function Rule() {
  const kelpie = useAccountKelpie();
  const client = useQueryClient();
  const isAdmin = useIsAdmin();
  const { data } = usePasskeyRule();
  const changing = useConfirmed({
    act: async (required: boolean, options) => kelpie.passkeys.setRule(required, options),
    onSettled: async () => client.invalidateQueries({ queryKey: passkeyRuleKey }),
  });
  if (data === undefined) return null;
  const { required, members_without: without } = data;
  const mayRequire = without.length === 0;
  return (
    <div className="grid gap-2">
      <p>
        {required ? 'This account requires a passkey of every member.' : 'Passkeys are optional in this account.'}
        {!required && !mayRequire && ` Without one: ${without.join(', ')}.`}
      </p>
      {isAdmin && (required || mayRequire) && (
        <div>
          <Button isWorking={changing.isPending} onClick={() => changing.run(!required)}>
            {required ? 'Make passkeys optional' : 'Require passkeys'}
          </Button>
        </div>
      )}
      {changing.error !== null && <Problem error={changing.error} title="Nothing was changed." />}
    </div>
  );
}
