import {
  batchCall,
  boolean,
  enumOf,
  text,
  timestamptz,
  uuid,
  type Columns,
} from '../../platform/database/batch-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';

type Environment = PartnerContext['environment'];

/** What a webhook says of a payment, whose order it names. */
export interface WebhookNews {
  environment: Environment;
  orderId: string;
  paymentId: string;
  at: Date;
  /** It says only that the payment is under way: no news of one that we know to be. */
  isUnderWay?: boolean;
}

export const newsColumns = {
  environments: enumOf<Environment>('environment')(({ environment }) => environment),
  order_ids: uuid(({ orderId }) => orderId),
  payment_ids: text(({ paymentId }) => paymentId),
  instants: timestamptz(({ at }) => at),
  are_under_way: boolean(({ isUnderWay = false }) => isUnderWay),
} satisfies Columns<WebhookNews>;

export const wakePayoutsCall = batchCall('wake_payouts', newsColumns);
