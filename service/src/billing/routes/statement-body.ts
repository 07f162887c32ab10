import { Type, type Static } from 'typebox';
import { dateTime, Environment, nullableText } from '../../http/schema/fields.ts';
import { patterns } from '../../http/schema/patterns.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import { formatExactUsdc } from '../../money/amounts.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { instantOf } from '../../platform/ids.ts';
import { movementKind } from '../statement/movement-kinds.ts';
import type { Statement } from '../statement/statement.ts';
import type { MovementRow } from '../statement/store.ts';

/** Six decimals, as on chain: rounded amounts would not add up. */
const ExactUsdc = (description: string) => Type.String({ pattern: patterns.exactUsdc, maxLength: 30, description });

export const Movement = nameSchema(
  'Movement',
  Type.Object(
    {
      number: Type.Integer({ minimum: 1, description: 'Its number in the history of the wallet, without gaps.' }),
      at: dateTime('When it was posted.'),
      kind: Type.String({
        description:
          '`hold`: debited for a payout. `release`: returned because the bank never took it. `refund`: returned by the bank. `return`: returned by the bank of the recipient. `deposit`, `deposit_reversal`, `correction`. `sandbox_float` and `sandbox_reset`: test money. `other`. We may add kinds.',
      }),
      payout_id: nullableText({
        format: 'uuid',
        description: 'The payout that it belongs to. Null if none, or if no payout was created.',
      }),
      deposit_id: nullableText({
        format: 'uuid',
        description: 'The top-up that was credited or reversed. Null if none.',
      }),
      reference: nullableText({ description: 'The reference of that payout.' }),
      amount: ExactUsdc('The amount in USDC. Negative if it left the wallet.'),
      balance: ExactUsdc('The balance after it, in USDC.'),
    },
    { description: 'One movement of the wallet.' },
  ),
);
export const StatementSchema = nameSchema(
  'Statement',
  Type.Object(
    {
      object: Type.Literal('statement', { description: 'Always `statement`.' }),
      environment: Environment,
      month: Type.String({ description: 'The month, as YYYY-MM.' }),
      from: dateTime('When the month starts, in London time.'),
      to: dateTime('When the month ends, in London time.'),
      currency: Type.Literal('USDC', { description: 'Always `USDC`.' }),
      opening_balance: ExactUsdc('The balance when the month started.'),
      closing_balance: ExactUsdc('The balance when the month ended. For the current month, the balance now.'),
      movement_count: Type.Integer({ minimum: 0, description: 'The number of movements in the whole month.' }),
      movements: Type.Array(Movement.ref, { description: 'One page of movements, oldest first.' }),
    },
    { description: 'A month of the wallet. The opening balance and all movements add up to the closing balance.' },
  ),
);

export function movementBody(movement: MovementRow): Static<typeof Movement.definition> {
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
