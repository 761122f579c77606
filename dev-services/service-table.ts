import type { ServiceAddresses } from './start-services.ts'

/** Where the engines are, for a person's eyes. */
export function serviceTable(addresses: ServiceAddresses): string {
  const { postgresUrl, temporalAddress, clickhouseUrl, gitea, github, modelUrl } = addresses
  const rows = [
    ['PostgreSQL', postgresUrl],
    ['Temporal', temporalAddress],
    ['ClickHouse', clickhouseUrl],
    ['Gitea', `${gitea.url}   (${gitea.adminName} / ${gitea.adminPassword})`],
    ['GitHub stand-in', github.url],
    ['Scripted model', modelUrl],
  ] as const
  return rows.map(([name, address]) => `  ${name.padEnd(17)}${address}`).join('\n')
}
