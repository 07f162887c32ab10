import { payoutCalls } from '../src/payouts/index.ts';
import { lastId } from '../src/platform/ids.ts';
import type { BenchPartners } from './bench-partners.ts';
import { plantedAPartner, readersOf } from './create-call.ts';
import type { NumberedIds } from './numbered-ids.ts';
import type { BareScript } from './pgbench.ts';

/** The service's own statement, with an expression for each of its parameters. */
function fill({ text }: { text: string }, expressions: readonly string[]): string {
  return text.replace(/\$(\d+)/g, (_, place: string) => {
    const expression = expressions[Number(place) - 1];
    if (expression === undefined) throw new Error(`the statement has a parameter ${place} that nobody knows of`);
    return expression;
  });
}

function anyReader(partners: BenchPartners): string {
  return `set who random(0, ${readersOf(partners) - 1})`;
}

const none: ReadonlyMap<string, string> = new Map();

export function getScript(partners: BenchPartners, payoutIds: NumberedIds): BareScript {
  const number = `(:who * ${plantedAPartner} + :nth)`;
  return {
    draws: [anyReader(partners), `set nth random(0, ${plantedAPartner - 1})`],
    statement: fill(payoutCalls.showEach, [
      `array[${partners.ids.sql(':who')}]`,
      `array['sandbox']::kelpie.environment[]`,
      `array[${payoutIds.sql(number)}]`,
    ]),
    values: none,
    makesPayouts: false,
  };
}

export function listScript(partners: BenchPartners): BareScript {
  return {
    draws: [anyReader(partners)],
    statement: fill(payoutCalls.showPayouts, [partners.ids.sql(':who'), `'sandbox'`, `'${lastId}'`, '51']),
    values: none,
    makesPayouts: false,
  };
}
