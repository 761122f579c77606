import type { ServiceAddresses } from './start-services.ts'

/** The addresses of the services, as a table for the terminal. */
export function formatServiceTable(addresses: ServiceAddresses): string {
  const { postgresUrl, temporalAddress, clickhouseUrl, gitea, github, modelUrl } = addresses
  const rows = [
    ['PostgreSQL', postgresUrl],
    ['Temporal', temporalAddress],
    ['ClickHouse', clickhouseUrl],
    ['Gitea', `${gitea.url}   (${gitea.adminName} / ${gitea.adminPassword})`],
    ['GitHub simulator', github.url],
    ['Scripted model', modelUrl],
  ] as const
  return rows.map(([name, address]) => `  ${name.padEnd(18)}${address}`).join('\n')
}
