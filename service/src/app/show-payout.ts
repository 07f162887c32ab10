import { describeStory, readStory, storyAsJson } from '../payouts/index.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import type { Logger } from '../platform/logging.ts';
import { OperatorError } from '../platform/operator-error.ts';
import { withReader } from './reader.ts';

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export async function showPayout(
  { readerUrl, logger }: { readerUrl: string; logger: Logger },
  payoutId: string,
  { json }: { json: boolean },
): Promise<string> {
  const missing = new OperatorError(`There is no payout ${payoutId}. Its id is the "id" in the API's answer.`);
  if (!uuidForm.test(payoutId)) throw missing;
  const story = await withReader(readerUrl, logger, async (pool) =>
    inTransaction(pool, 'shared', async (tx) => readStory(tx, payoutId)),
  );
  if (story === null) throw missing;
  return json ? `${storyAsJson(story)}\n` : describeStory(story);
}
