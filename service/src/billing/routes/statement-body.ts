import { Type, type Static } from 'typebox';
import { Environment, Instant, nullableText } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import { formatExactUsdc } from '../../money/amounts.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { instantOf } from '../../platform/ids.ts';
import { movementKind } from '../statement/movement-kinds.ts';
import type { Statement } from '../statement/statement.ts';
import type { MovementRow } from '../statement/store.ts';

/** Six decimals, as on chain: what is rounded does not add up. */
const ExactUsdc = (description: string) =>
  Type.String({ pattern: patterns.exactUsdc, maxLength: 30, description, examples: ['-126.590000'] });

const Movement = nameSchema(
  'Movement',
  Type.Object({
    number: Type.Integer({
      minimum: 1,
      description: "Its place in the wallet's whole history: without gaps, for ever.",
    }),
    at: Instant,
    kind: Type.String({
      description:
        '`hold` for a payout; `release` of one that the bank never took; `refund` of one that it gave back; `return` by the recipient’s bank; `deposit`; `deposit_reversal`; `correction`; `sandbox_float`, the test money of a sandbox; `sandbox_reset`; `other` for what has no word yet. More can come.',
      examples: ['hold'],
    }),
    payout_id: nullableText({
      format: 'uuid',
      description: 'Null where it is of no payout, or of a try of which nothing became.',
    }),
    deposit_id: nullableText({
      format: 'uuid',
      description: 'The top-up that was credited or reversed, as in `GET /v1/deposits`. Null for everything else.',
    }),
    reference: nullableText({ description: "The payout's." }),
    amount: ExactUsdc('Below zero where it left the wallet.'),
    balance: ExactUsdc('What the wallet held after it.'),
  }),
);
export const StatementSchema = nameSchema(
  'Statement',
  Type.Object(
    {
      object: Type.Literal('statement'),
      environment: Environment,
      month: Type.String({ examples: ['2026-11'] }),
      from: Type.String({ ...Instant, description: 'When the month began in London.' }),
      to: Type.String({ ...Instant, description: 'When it ends or ended there.' }),
      currency: Type.Literal('USDC'),
      opening_balance: ExactUsdc('What the wallet held when the month began.'),
      closing_balance: ExactUsdc('What it held when the month ended; of a month that is not over, what it holds now.'),
      movement_count: Type.Integer({ minimum: 0, description: 'Of the whole month.' }),
      movements: Type.Array(Movement.ref, { description: 'One page of them, the oldest first.' }),
    },
    {
      description:
        'A month of the wallet. Opening balance and all movements make the closing balance, to the last digit.',
    },
  ),
);

export const statementSchemas = [Movement, StatementSchema];

function movementBody(movement: MovementRow): Static<typeof Movement.definition> {
  return {
    number: Number(movement.number),
    at: instantOf(movement.transferId).toISOString(),
    kind: movementKind(movement.reason),
    payout_id: movement.payoutId,
    deposit_id: movement.depositId,
    reference: movement.reference,
    amount: formatExactUsdc(movement.change),
    balance: formatExactUsdc(movement.balance),
  };
}

export function statementBody(
  statement: Statement,
  {
    environment,
    month,
    movements,
  }: { environment: PartnerContext['environment']; month: string; movements: MovementRow[] },
): Static<typeof StatementSchema.definition> {
  return {
    object: 'statement',
    environment,
    month,
    from: statement.beganAt.toISOString(),
    to: statement.endedAt.toISOString(),
    currency: 'USDC',
    opening_balance: formatExactUsdc(statement.opening),
    closing_balance: formatExactUsdc(statement.closing),
    movement_count: Number(statement.nextNumber - statement.firstNumber),
    movements: movements.map(movementBody),
  };
}
