import { Section } from '../../ui/page.tsx';
import { shownColour, type SettingsDraft } from './settings-draft.ts';

/** How a recipient sees who pays: the logo and the colour that are being typed. */
export function Preview({ name, draft }: { name: string; draft: SettingsDraft }) {
  const colour = shownColour(draft);
  return (
    <Section title="As recipients see you">
      <div className="overflow-hidden rounded-lg border border-line bg-surface">
        <div className="h-1.5" style={{ background: colour }} />
        <div className="flex items-center gap-3 p-4">
          <span
            aria-hidden="true"
            className="grid size-10 shrink-0 place-items-center rounded-md text-title font-semibold text-[#fff]"
            style={{ background: colour }}
          >
            {name.slice(0, 1).toUpperCase()}
          </span>
          <div className="grid min-w-0">
            <p className="truncate font-medium">{name}</p>
            <p className="text-small text-muted">pays you through Kelpie</p>
          </div>
        </div>
      </div>
      <p className="text-small text-muted">
        Your logo takes the place of the letter. It is not loaded here: this page loads nothing from elsewhere.
      </p>
    </Section>
  );
}
