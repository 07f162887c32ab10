// Who is calling. It owns API keys: how a secret is made, what of it is kept, and whose it is. It refuses to know a secret
// again that it has once given out.
export { createApiKey } from './create-api-key.ts';
export { createKeyring } from './keyring.ts';
export { createPepper } from './secrets.ts';
