import { InvalidArgumentError, type Command } from 'commander';
import type { Event, Kelpie } from '../../index.ts';
import { textOf } from '../../json.ts';
import { addHelp } from '../help.ts';
import { onInterruption } from '../interruption.ts';
import type { Attempt } from '../listening/forward.ts';
import { followEvents, type Listening } from '../listening/follow-events.ts';
import { findLastSequence } from '../listening/last-sequence.ts';
import { newPlace, placeFile, type Place, type PlaceFile } from '../listening/place.ts';
import { signingSecret } from '../listening/signing-secret.ts';
import { wholeNumber, withJson, type JsonOption } from '../option-values.ts';
import { note, shortInstant } from '../printing.ts';
import { connectKelpie, isLoopback, readSettings, stateFolder } from '../settings.ts';

interface ListenOptions extends JsonOption {
  forward: string;
  after?: number;
}

/**
 * Events hold names and amounts, and they are sent unencrypted: they stay on this machine. For another machine there are
 * webhooks, which Kelpie sends itself.
 */
function receiverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username !== '')
    throw new InvalidArgumentError('Use an address such as http://localhost:3000/hooks.');
  if (!isLoopback(url.hostname))
    throw new InvalidArgumentError('Use localhost, 127.0.0.1 or [::1]. For another machine, create a webhook.');
  return url.href;
}

async function placeToStart(kelpie: Kelpie, file: PlaceFile, after: number | undefined): Promise<Place> {
  const kept = file.read();
  if (after !== undefined) return { ...(kept ?? newPlace(after)), sequence: after, previous: null };
  if (kept !== undefined) return kept;
  const last = await findLastSequence(kelpie);
  return newPlace(last);
}

function secondsOf(ms: number): string {
  return `${(ms / 1_000).toLocaleString('en-GB', { maximumFractionDigits: 1 })} s`;
}

function describeAttempt({ status, ms }: Attempt): string {
  return status === null ? 'no answer' : `${status} (${ms} ms)`;
}

function createReport(json: boolean): Listening['report'] {
  const write = (event: Event, attempt: Attempt, text: string): void => {
    const { id, sequence, type } = event;
    const line = { event_id: id, sequence, type, status: attempt.status, accepted: attempt.isAccepted, ms: attempt.ms };
    const about = `${shortInstant(event.created_at)}  ${sequence}  ${type}  ${textOf(event.data, 'id') ?? '-'}`;
    process.stdout.write(json ? `${JSON.stringify(line)}\n` : `${about}  → ${text}\n`);
  };
  const say = json ? () => undefined : note;
  return {
    forwarded: (event, attempt) => write(event, attempt, describeAttempt(attempt)),
    refused: (event, attempt, retryMs) =>
      write(event, attempt, `${describeAttempt(attempt)}, not accepted: again in ${secondsOf(retryMs)}`),
    unreachable: (retryMs) => say(`Kelpie did not answer. Trying again in ${secondsOf(retryMs)}.`),
    expired: (from, to) => say(`Events ${from} to ${to} are older than 90 days and were not forwarded.`),
  };
}

async function listen({ forward, after, json }: ListenOptions): Promise<void> {
  const settings = readSettings();
  const kelpie = connectKelpie(settings, { retries: 0 });
  const signal = onInterruption();
  const account = await kelpie.account.get();
  const identity = [settings.baseUrl, account.id, settings.environment, forward];
  const file = placeFile(stateFolder(process.env), identity);
  const place = await placeToStart(kelpie, file, after);
  file.write(place);
  const secret = signingSecret(settings.apiKey);
  const about = { account: account.name, environment: settings.environment, forward, secret, after: place.sequence };
  if (json) process.stdout.write(`${JSON.stringify(about)}\n`);
  else
    note(
      `Forwarding ${settings.environment} events after number ${place.sequence} to ${forward}\nSigning secret: ${secret}\nPress Ctrl-C to stop.`,
    );
  const receiver = { url: forward, secret, webhookId: place.webhookId };
  const end = await followEvents({ kelpie, receiver, placeFile: file, report: createReport(json) }, place, signal);
  if (!json) note(`Stopped after event ${end.sequence}. The same command goes on from there.`);
}

export function addListenCommand(program: Command): void {
  const command = withJson(program.command('listen'))
    .description(
      'Forward events to a server on this machine, signed as webhooks are. Each event is retried until the server answers 2xx, and the next waits. A second run goes on where the first ended.',
    )
    .requiredOption('--forward <url>', 'where to post the events, on this machine', receiverUrl)
    .option(
      '--after <sequence>',
      'start after this event; 0 for the oldest; by default where the last run ended, or with the next event',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .action(listen);
  addHelp(command, {
    examples: ['kelpie listen --forward http://localhost:3000/hooks'],
    prints:
      'The signing secret, which stays the same for an API key. Then one line per attempt: time, sequence, type, resource, and the answer. An event can be sent twice, so skip a sequence that you have processed.',
  });
}
