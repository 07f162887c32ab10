import { openNewestRecipient } from '../../../payouts/index.ts';
import { settings } from '../../../platform/configuration/settings.ts';
import { createEncryptor } from '../../../platform/encryption.ts';
import { createVersionedDigest } from '../../../platform/keyed-digest.ts';
import { read, type DoctorDeps } from '../deps.ts';
import { NotChecked, ok, problem, type Check, type Finding } from '../finding.ts';

/** The keys of this configuration against what the database has: the newest recipient stands for all. */
export function checkKeys(deps: DoctorDeps): Check {
  const { dataKeys: dataKeysSetting, indexKey: indexKeySetting } = settings;
  return {
    name: 'keys',
    async run(): Promise<Finding[]> {
      const [dataKeys, indexKey] = [deps.given.find(dataKeysSetting), deps.given.find(indexKeySetting)];
      if (dataKeys === null || indexKey === null) {
        const { variable } = dataKeys === null ? dataKeysSetting : indexKeySetting;
        throw new NotChecked(`${variable} is not set. Run it with a worker's settings.`);
      }
      const digest = createVersionedDigest(indexKey, 'account index');
      const newest = await read(deps, async (tx) => openNewestRecipient(tx, createEncryptor(dataKeys), digest));
      if (newest.kind === 'none') return [ok('There is no payout yet whose recipient is encrypted.')];
      if (newest.kind === 'closed')
        return [
          problem(
            `${dataKeysSetting.variable} cannot decrypt the newest recipient, which has key version ${newest.keyVersion}. Put that key back from your secret store.`,
          ),
        ];
      return newest.isIndexed
        ? [ok('The data keys and the index key fit the newest payout.')]
        : [
            problem(
              `${indexKeySetting.variable} is not the key that this database was written with. Put it back from your secret store.`,
            ),
          ];
    },
  };
}
