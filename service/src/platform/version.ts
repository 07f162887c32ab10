import project from '../../../package.json' with { type: 'json' };

/** Defined by the bundler of a release. */
declare const KELPIE_COMMIT: string | undefined;

/** Which code runs. */
export const build = {
  version: project.version,
  commit: typeof KELPIE_COMMIT === 'string' ? KELPIE_COMMIT : 'development',
};
