import { fileURLToPath } from 'node:url';

/** The root of this checkout, without a slash at the end. */
export const projectFolder = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
