const variable = /\$\{([A-Z][A-Z0-9_]*)\}/g;

/** Fills in the ${NAME}s of a configuration file, as envsubst does. A name without a value, or a value without use, throws. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const unused = new Set(Object.keys(values));
  const filled = template.replace(variable, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no value for ${name}`);
    unused.delete(name);
    return value;
  });
  if (unused.size > 0) throw new Error(`the template does not use ${[...unused].join(', ')}`);
  return filled;
}
