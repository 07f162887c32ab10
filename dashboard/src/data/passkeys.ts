import { KelpieError, type Passkey, type PasskeyOptions, type PasskeyStep, type Session } from '@kelpie/sdk';
import { kelpie } from './kelpie.ts';

type Challenge = Pick<PasskeyOptions, 'challenge' | 'rp_id' | 'credentials'>;

/** Loaded once a passkey is used: most people who open the dashboard have none. */
const browserOf = async () => import('@simplewebauthn/browser');

/** What a refused act wants a passkey to sign; undefined where a code alone is wanted. */
export function challengeOf(error: unknown): Challenge | undefined {
  if (!(error instanceof KelpieError) || error.code !== 'confirmation_required') return undefined;
  return error.details?.passkey;
}

function descriptorsOf(credentials: Challenge['credentials']) {
  return credentials.map(({ id }) => ({ id, type: 'public-key' as const }));
}

async function sign({ challenge, rp_id: rpId, credentials }: Challenge) {
  const { startAuthentication } = await browserOf();
  const { id, response } = await startAuthentication({
    optionsJSON: { challenge, rpId, allowCredentials: descriptorsOf(credentials), userVerification: 'required' },
  });
  const { clientDataJSON: client_data, authenticatorData: authenticator_data, signature } = response;
  return { id, client_data, authenticator_data, signature };
}

async function create({ challenge, rp_id: rpId, credentials, user }: PasskeyOptions) {
  if (user === null) throw new Error('a new passkey without a user');
  const { startRegistration } = await browserOf();
  const { id, response } = await startRegistration({
    optionsJSON: {
      challenge,
      rp: { id: rpId, name: 'Kelpie' },
      user: { id: user.id, name: user.name, displayName: user.name },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ alg, type: 'public-key' as const })),
      excludeCredentials: descriptorsOf(credentials),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      attestation: 'none',
    },
  });
  const { clientDataJSON: client_data, attestationObject: attestation, transports = [] } = response;
  return { id, client_data, attestation, transports };
}

/** Proves by a passkey what was asked to be confirmed. */
export async function prove(challenge: Challenge): Promise<void> {
  await kelpie.passkeys.confirm(await sign(challenge));
}

/** An act that a passkey confirms is proven and repeated; one that a code confirms is refused as it was. */
export async function provenFirst<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    const challenge = challengeOf(error);
    if (challenge === undefined) throw error;
    await prove(challenge);
    return act();
  }
}

/** The step after a code, for who has a passkey or has to add a first one. */
export async function completeSignIn(answer: Session | PasskeyStep): Promise<Session> {
  if (answer.object === 'session') return answer;
  const options = await kelpie.auth.beginPasskeyStep();
  if (options.ceremony === 'use') return kelpie.auth.completePasskeyStep({ use: await sign(options) });
  return kelpie.auth.completePasskeyStep({ add: { name: 'First passkey', credential: await create(options) } });
}

export async function addPasskey(options: PasskeyOptions, name: string): Promise<Passkey> {
  return kelpie.passkeys.add({ name, credential: await create(options) });
}
