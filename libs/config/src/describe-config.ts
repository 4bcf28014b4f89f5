import { optionsOf, type Constructor, type OptionInfo } from './option';
import { HIDDEN } from './secrets';

/** A Markdown table of every option: name, environment variable, type, default, meaning. */
export function describeConfig(type: Constructor, options: { prefix?: string } = {}): string {
  const rows = optionsOf(type, options.prefix).map(
    (o) =>
      `| \`${o.path.join('.')}\` | \`${o.env}\`${o.spec.secret ? `, \`${o.env}_FILE\`` : ''} | ${o.type} | ${shown(o)} | ${cell(o.spec.describe)} |`,
  );
  return ['| Option | Environment | Type | Default | Meaning |', '|---|---|---|---|---|', ...rows, ''].join('\n');
}

function shown({ spec }: OptionInfo): string {
  if (spec.default === undefined) return spec.optional ? 'none' : '**required**';
  return spec.secret ? HIDDEN : `\`${cell(JSON.stringify(spec.default))}\``;
}

function cell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/\s*\n\s*/g, ' ');
}
