/** What the trial needs of a systemd unit. */
export interface Unit {
  user: string;
  command: string[];
  environment: Record<string, string>;
  environmentFiles: string[];
  /** The name of each credential, with the file that has it and what stands for it where there is none. */
  credentials: Map<string, { file: string; otherwise: string | null }>;
}

function valuesOf(text: string, key: string): string[] {
  const joined = text.replaceAll(/\\\n\s*/g, ' ');
  return joined.split('\n').flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1).trim()] : []));
}

/** `NAME=value` pairs, each perhaps in quotes. */
function assignments(text: string): [string, string][] {
  return [...text.matchAll(/"?([A-Z][A-Z0-9_]*)=([^"\s]*)"?/g)].map(([, name = '', value = '']) => [name, value]);
}

/** The lines of a file for EnvironmentFile. */
export function readEnvironment(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => /^[A-Z][A-Z0-9_]*=/.test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1).replace(/^(["'])(.*)\1$/, '$2')];
    }),
  );
}

function atColon(line: string): [string, string] {
  const at = line.indexOf(':');
  return [line.slice(0, at), line.slice(at + 1)];
}

export function readUnit(text: string, credentialsFolder: string): Unit {
  const [user = 'root'] = valuesOf(text, 'User');
  const [start] = valuesOf(text, 'ExecStart');
  if (start === undefined) throw new Error('the unit has no ExecStart');
  const given = valuesOf(text, 'Environment').flatMap(assignments);
  const environment = given.map(([name, value]): [string, string] => [name, value.replaceAll('%d', credentialsFolder)]);
  const otherwise = new Map(valuesOf(text, 'SetCredential').map(atColon));
  const loaded = valuesOf(text, 'LoadCredential').map(atColon);
  return {
    user,
    command: start.split(/\s+/),
    environment: Object.fromEntries(environment),
    environmentFiles: valuesOf(text, 'EnvironmentFile').map((file) => file.replace(/^-/, '')),
    credentials: new Map(loaded.map(([name, file]) => [name, { file, otherwise: otherwise.get(name) ?? null }])),
  };
}
