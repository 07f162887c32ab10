import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../project.ts';
import { runCommand } from '../cluster/run-command.ts';
import { textAt } from '../json.ts';

/** Its message says what to do before there can be a release. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError';
}

/** What is released, and from what. */
export interface Release {
  version: string;
  /** The full hash; with `-changed` for a trial of what is not committed. */
  commit: string;
  /** When the commit was written. Every file of the release bears this time, so that the same commit gives the same files. */
  epochSeconds: number;
  isTrial: boolean;
  /** Where its files are. */
  folder: string;
}

const versionForm = /^\d+\.\d+\.\d+$/;

async function git(...args: string[]): Promise<string> {
  return (await runCommand('git', ['-C', projectFolder, ...args])).trim();
}

export function folderOf(version: string): string {
  return path.join(projectFolder, '.dev/release', version);
}

/** The version that the tag of this commit names. */
async function taggedVersion(): Promise<string> {
  const tags = (await git('tag', '--points-at', 'HEAD')).split('\n').filter((tag) => versionForm.test(tag.slice(1)));
  const [tag, ...others] = tags.filter((name) => name.startsWith('v'));
  if (tag === undefined || others.length > 0)
    throw new ReleaseError('This commit needs one tag such as v1.2.0. To try a release without one: --trial 1.2.0');
  // The SDK has a version of its own.
  const version = textAt(JSON.parse(readFileSync(path.join(projectFolder, 'package.json'), 'utf8')), 'version');
  if (`v${version}` !== tag)
    throw new ReleaseError(`The tag is ${tag}, and package.json says ${version}. Make them equal.`);
  return tag.slice(1);
}

/** A release is what a tag names. A trial is of any commit, and says so in its version. */
export async function readRelease(trial: string | undefined): Promise<Release> {
  if (trial !== undefined && !versionForm.test(trial)) throw new ReleaseError('--trial needs a version such as 1.2.0.');
  const isTrial = trial !== undefined;
  const isChanged = (await git('status', '--porcelain')) !== '';
  if (isChanged && !isTrial) throw new ReleaseError('The checkout has changes. Commit or remove them.');
  const version = isTrial ? `${trial}-trial` : await taggedVersion();
  const head = await git('rev-parse', 'HEAD');
  const epochSeconds = Number(await git('show', '--no-patch', '--format=%ct', 'HEAD'));
  const commit = isChanged ? `${head}-changed` : head;
  return { version, commit, epochSeconds, isTrial, folder: folderOf(version) };
}
