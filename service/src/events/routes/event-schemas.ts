import { Type, type TUnsafe } from 'typebox';
import { exampleValues } from '../../http/schema/example-values.ts';
import { dateTime, Environment, listExample, listOf, money, oneOf, uuid } from '../../http/schema/fields.ts';
import { addSchema, nameSchema } from '../../http/schema/schemas.ts';
import type { Server } from '../../http/server.ts';
import { eventKinds, eventTypes, typesOf, type EventKind, type EventType } from '../event.ts';
import { eventBody, type EventBody } from '../event-reader.ts';

/** What the reference shows of a kind of resource. */
interface ShownKind {
  schema: TUnsafe<object>;
  example: object;
}

/** The resources that other routes return too. */
export type ShownKinds = Readonly<Record<Exclude<EventKind, 'wallet' | 'account'>, ShownKind>>;

const Wallet = nameSchema(
  'Wallet',
  Type.Object(
    {
      object: Type.Literal('wallet', { description: 'Always `wallet`.' }),
      environment: Environment,
      balance_usdc: money('The balance in USDC, rounded down.'),
      wallet_low_usdc: money('The threshold from your account settings, in USDC.'),
    },
    { description: 'A wallet whose balance is below the threshold of the account.' },
  ),
);
const walletExample = {
  object: 'wallet',
  environment: 'sandbox',
  balance_usdc: '412.50',
  wallet_low_usdc: '500.00',
} as const;

const AccountState = nameSchema(
  'AccountState',
  Type.Object(
    {
      object: Type.Literal('account', { description: 'Always `account`.' }),
      id: uuid('The id of the account.'),
      environment: Environment,
      status: oneOf(['onboarding', 'active', 'suspended', 'closed'], { description: 'The status of the account.' }),
      is_paused: Type.Boolean({
        description: 'Whether payouts are paused in this environment. New payouts then return `partner_not_active`.',
      }),
    },
    { description: 'Whether the account can pay.' },
  ),
);
const accountExample = {
  object: 'account',
  id: exampleValues.partnerId,
  environment: 'sandbox',
  status: 'suspended',
  is_paused: true,
} as const;

const subjects = {
  payout: 'a payout',
  payout_request: 'a payout that needs approval',
  deposit: 'a top-up',
  wallet: 'the wallet',
  invoice: 'an invoice',
  key: 'an API key',
  member: 'a member',
  account: 'the account',
} as const satisfies Record<EventKind, string>;

const names = {
  payout: 'PayoutEvent',
  payout_request: 'PayoutRequestEvent',
  deposit: 'DepositEvent',
  wallet: 'WalletEvent',
  invoice: 'InvoiceEvent',
  key: 'KeyEvent',
  member: 'MemberEvent',
  account: 'AccountEvent',
} as const satisfies Record<EventKind, string>;

const exampleTypes = {
  payout: 'payout.completed',
  payout_request: 'payout_request.created',
  deposit: 'deposit.credited',
  wallet: 'wallet.low',
  invoice: 'invoice.issued',
  key: 'key.created',
  member: 'member.added',
  account: 'account.paused',
} as const satisfies Record<EventKind, EventType>;

/** Those that are in `live` only: what they are about is no environment's. */
const onlyLive: ReadonlySet<EventKind> = new Set(['invoice', 'member']);

function eventFields(types: readonly EventType[]) {
  return {
    id: uuid('The id of the event.'),
    object: Type.Literal('event', { description: 'Always `event`.' }),
    environment: Environment,
    sequence: Type.Integer({
      minimum: 1,
      description: 'Counts the events of your account in this environment, from 1, without gaps.',
    }),
    type: oneOf(types, { description: 'What happened.' }),
    version: Type.Integer({
      minimum: 1,
      description: 'Rises with each change of the resource. Of two events, the one with the higher version is newer.',
    }),
    created_at: dateTime('When it happened.'),
  };
}

/** How an event is written: a union would be told apart by a validator at every answer. */
export const WrittenEvent = Type.Object({
  ...eventFields(eventTypes),
  data: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
});

function exampleOf(kind: EventKind, data: object): EventBody {
  const event = {
    id: exampleValues.eventId,
    sequence: 42n,
    type: exampleTypes[kind],
    subject: { id: exampleValues.payoutId, version: 2 },
    at: new Date(exampleValues.createdAt),
    snapshot: data,
  };
  const environment = onlyLive.has(kind) ? 'live' : 'sandbox';
  return eventBody({ partnerId: exampleValues.partnerId, environment }, event, data);
}

/** A schema for each kind of event, and `Event`, which is one of them by its type. */
export function addEventSchemas(app: Server, shown: ShownKinds) {
  addSchema(app, Wallet, walletExample);
  addSchema(app, AccountState, accountExample);
  const kinds: Record<EventKind, ShownKind> = {
    ...shown,
    wallet: { schema: Wallet.ref, example: walletExample },
    account: { schema: AccountState.ref, example: accountExample },
  };
  const refs = eventKinds.map((kind) => {
    const { schema, example } = kinds[kind];
    const description = `An event about ${subjects[kind]}: ${typesOf[kind].map((type) => `\`${type}\``).join(', ')}.`;
    const named = nameSchema(
      names[kind],
      Type.Object({ ...eventFields(typesOf[kind]), data: schema }, { description }),
    );
    app.addSchema({ ...named.definition, examples: [exampleOf(kind, example)] });
    return named.ref;
  });
  const mapping = eventKinds.flatMap((kind) =>
    typesOf[kind].map((type) => [type, `#/components/schemas/${names[kind]}`] as const),
  );
  const EventSchema = nameSchema(
    'Event',
    Type.Unsafe<EventBody>({
      oneOf: refs,
      discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) },
      description: 'A change of a resource, with the resource as it was then. `type` says which resource `data` is.',
    }),
  );
  const example = exampleOf('payout', kinds.payout.example);
  addSchema(app, EventSchema, example);
  const EventList = nameSchema('EventList', listOf(EventSchema.ref, { description: 'Events, in order.' }));
  addSchema(app, EventList, listExample(example));
  return { EventSchema, EventList };
}
