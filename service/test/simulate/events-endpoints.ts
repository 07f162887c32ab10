import type { TestPartner } from '../harness/partners.ts';
import { register } from '../webhooks/endpoint.ts';
import { accept, hang, refuse, startReceiver, type Receiver, type ReceivedBody } from '../webhooks/receiver.ts';
import type { EndpointRequest } from './events-judge.ts';
import type { Random } from './random.ts';

/** How an endpoint behaves while it is not well. */
type Mood = 'fails' | 'hangs' | 'redirects' | 'away';

/** A partner's server that is not always well, and remembers every request. */
export interface RestlessEndpoint {
  name: string;
  partner: TestPartner;
  types: readonly string[] | null;
  /** Null for one that is always well. */
  mood: Mood | null;
  requests: EndpointRequest[];
  forged(): number;
  setWell(isWell: boolean): Promise<void>;
}

interface EndpointOptions {
  name: string;
  partner: TestPartner;
  apiUrl: string;
  random: Random;
  /** Where a redirect points. */
  elsewhere: string;
  mood?: Mood;
  types?: readonly string[];
  /** Called with each event that was accepted. */
  onAccepted?: (body: ReceivedBody) => void;
  atEnd: (end: () => Promise<void>) => void;
}

const redirects = [301, 302, 303, 307, 308];

/** One in five. */
function failsNow(random: Random): boolean {
  return random.below(5) === 0;
}

export async function startEndpoint(options: EndpointOptions): Promise<RestlessEndpoint> {
  const { name, partner, apiUrl, random, mood = null, types = null, atEnd } = options;
  const receiver = await startReceiver({ atEnd });
  const requests: EndpointRequest[] = [];
  let isWell = true;
  const acceptsNow = (): boolean => isWell || mood === null || (mood === 'fails' && !failsNow(random));
  receiver.answer = (asked, response) => {
    const { body } = asked;
    const isAccepted = acceptsNow();
    const request: EndpointRequest = { body, begunMs: performance.now(), endedMs: null, isAccepted };
    requests.push(request);
    response.on('close', () => {
      request.endedMs ??= performance.now();
    });
    if (!isAccepted && mood === 'hangs') return hang(asked, response);
    request.endedMs = performance.now();
    if (isAccepted) {
      options.onAccepted?.(body);
      return accept(asked, response);
    }
    if (mood !== 'redirects') return refuse(asked, response);
    const status = redirects[random.below(redirects.length)] ?? 302;
    response.writeHead(status, { location: options.elsewhere }).end();
  };
  await register({ url: apiUrl, key: partner.key }, receiver, types === null ? {} : { types });
  return {
    name,
    partner,
    types,
    mood,
    requests,
    forged: () => receiver.forged,
    async setWell(next) {
      if (mood === 'away' && next !== isWell) await moveAway(receiver, next);
      isWell = next;
    },
  };
}

async function moveAway(receiver: Receiver, isBack: boolean): Promise<void> {
  return isBack ? receiver.comeBack() : receiver.leave();
}
