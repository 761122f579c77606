import type { EngineAddresses } from './start-engines.ts'

/** Where the engines are, for a person's eyes. */
export function engineTable({ postgresUrl, temporalAddress, clickhouseUrl, gitea, modelUrl }: EngineAddresses): string {
  const rows = [
    ['PostgreSQL', postgresUrl],
    ['Temporal', temporalAddress],
    ['ClickHouse', clickhouseUrl],
    ['Gitea', `${gitea.url}   (${gitea.adminName} / ${gitea.adminPassword})`],
    ['Scripted model', modelUrl],
  ] as const
  return rows.map(([name, address]) => `  ${name.padEnd(16)}${address}`).join('\n')
}
