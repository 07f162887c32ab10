import { faultKinds, faultPoints, type Fault, type Faults } from '../faults.ts';
import type { Fields } from '../http/fields.ts';
import type { Route } from '../http/route.ts';
import { newId } from '../ids.ts';

const longestDelayMs = 600_000;
const mostTimes = 1_000_000;
const code = { pattern: /^[a-z_]{1,60}$/, rule: '1 to 60 small letters and underscores' };

function readFault(body: Fields, at: Date): Fault {
  return {
    id: newId(at),
    on: body.choice('on', [...faultPoints, 'any']),
    kind: body.choice('kind', faultKinds),
    times: body.optionalWholeNumber('times', { min: 1, max: mostTimes }),
    delayMs: body.optionalWholeNumber('delay_ms', { min: 0, max: longestDelayMs }) ?? 0,
    status: body.optionalWholeNumber('status', { min: 400, max: 599 }) ?? 400,
    code: body.optionalText('code', code) ?? 'invalid_parameters',
    microUsdc: BigInt(body.optionalWholeNumber('micro_usdc', { min: -1e12, max: 1e12 }) ?? 0),
  };
}

function describeFault(fault: Fault): object {
  return {
    id: fault.id,
    on: fault.on,
    kind: fault.kind,
    times: fault.times,
    delay_ms: fault.delayMs,
    status: fault.status,
    code: fault.code,
    micro_usdc: String(fault.microUsdc),
  };
}

export function faultRoutes(faults: Faults): readonly Route[] {
  return [
    {
      method: 'POST',
      url: '/faults',
      async perform({ at, body }) {
        const fault = readFault(body, at);
        faults.add(fault);
        return { status: 201, body: describeFault(fault) };
      },
    },
    {
      method: 'GET',
      url: '/faults',
      async perform() {
        return { status: 200, body: { data: faults.list().map(describeFault) } };
      },
    },
    {
      method: 'DELETE',
      url: '/faults',
      async perform() {
        faults.clear();
        return { status: 200, body: { data: [] } };
      },
    },
  ];
}
