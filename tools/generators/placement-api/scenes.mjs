// Fills the pictures, queries and answers into docs/placement/candidates.md, between its markers.

const idOf = (name) => name.replace(/\W/g, '_');

const inventoryText = (inventories = {}) =>
  Object.entries(inventories)
    .map(([rc, i]) => `${rc} ${typeof i === 'number' ? i : i.total}`)
    .join(', ');

function nodeOf({ name, inventories, traits = [], used }) {
  const lines = [
    `<b>${name}</b>`,
    inventoryText(inventories),
    ...(used ? [`in use: ${inventoryText(used)}`] : []),
    ...traits,
  ];
  return `  ${idOf(name)}["${lines.filter((l) => l !== '').join('<br/>')}"]`;
}

/** The estate as a Mermaid picture: trees by lines, aggregates by dots. */
function pictureOf({ estate }) {
  const aggregates = [...new Set(estate.flatMap((p) => p.aggregates ?? []))];
  const lines = [
    'flowchart TB',
    ...estate.map(nodeOf),
    ...aggregates.map((a) => `  ${idOf(a)}(("${a}"))`),
    ...estate.filter((p) => p.parent).map((p) => `  ${idOf(p.parent)} --> ${idOf(p.name)}`),
    ...estate.flatMap((p) => (p.aggregates ?? []).map((a) => `  ${idOf(p.name)} -.- ${idOf(a)}`)),
  ];
  return ['```mermaid', ...lines, '```'].join('\n');
}

function candidateText({ allocations, mappings }) {
  const given = Object.entries(allocations).map(
    ([name, { resources }]) =>
      `${name}: ${Object.entries(resources)
        .map(([rc, n]) => `${rc} ${n}`)
        .join(', ')}`,
  );
  const suffixes = Object.entries(mappings ?? {}).filter(([suffix]) => suffix !== '');
  const met = suffixes.map(([suffix, names]) => `${suffix} = ${names.join(', ')}`);
  return `${given.join('; ')}${met.length ? `  (${met.join('; ')})` : ''}`;
}

function queryText({ query, version, candidates }) {
  const found = candidates.length ? candidates.map((c, i) => `${i + 1}. ${candidateText(c)}`) : ['no candidate'];
  return [
    '```text',
    `GET /allocation_candidates?${query.replaceAll('&', '\n    &')}${version ? `   (${version})` : ''}`,
    '',
    ...found,
    '```',
  ].join('\n');
}

/** The page with every `<!-- made: scene picture -->` and `<!-- made: scene 2 -->` filled; every query has to be shown. */
export function fillScenes(text, scenes) {
  const shown = new Set();
  const filled = text.replace(/<!-- made: (\w+) (\w+) -->[\s\S]*?<!-- end -->/g, (_, scene, what) => {
    const known = scenes[scene];
    const query = known?.queries[Number(what) - 1];
    if (!known || (what !== 'picture' && !query))
      throw new Error(`candidates.md asks for ${scene} ${what}, which is not there`);
    shown.add(`${scene} ${what}`);
    return `<!-- made: ${scene} ${what} -->\n\n${what === 'picture' ? pictureOf(known) : queryText(query)}\n\n<!-- end -->`;
  });
  for (const [scene, { queries }] of Object.entries(scenes))
    for (const what of ['picture', ...queries.map((_, i) => String(i + 1))])
      if (!shown.has(`${scene} ${what}`)) throw new Error(`candidates.md does not show ${scene} ${what}`);
  return filled;
}
