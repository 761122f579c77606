import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ApiDescription } from './api-description.ts'
import { readDescription } from './descriptions.ts'
import { startGithubServer } from './github-server.ts'

const usage =
  'node server.ts --port <0 to 65535; 0 selects a free one> --directory <of the repositories> --admin-token <of the control API> ' +
  '[--tls-key <file> --tls-cert <file>]'

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    directory: { type: 'string' },
    'admin-token': { type: 'string' },
    'tls-key': { type: 'string' },
    'tls-cert': { type: 'string' },
  },
})
const { port, directory, 'admin-token': adminToken, 'tls-key': key, 'tls-cert': cert } = values
if (!port || !directory || !adminToken || (key === undefined) !== (cert === undefined)) {
  console.error(`The GitHub simulator requires all of these options: ${usage}`)
  process.exit(2)
}

process.on('SIGTERM', () => process.exit(0))
process.on('SIGINT', () => process.exit(0))

const tls = key && cert ? { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') } : undefined
const description = new ApiDescription(await readDescription())
const { url } = await startGithubServer({
  port: Number(port),
  directory,
  adminToken,
  description,
  ...(tls && { tls }),
}).catch((error: Error) => {
  console.error(`The GitHub simulator cannot listen on port ${port}: ${error.message}`)
  process.exit(1)
})
console.log(`ready ${url}`)
