import { parseArgs } from 'node:util'
import { createModelServer } from './model-server.ts'

const usage =
  'node testing/simulators/model/server.ts --port <0 to 65535; 0 selects a free one> [--host <address to listen on>]'

function readAddress(): { host: string; port: number } | undefined {
  try {
    const options = { port: { type: 'string' }, host: { type: 'string' } } as const
    const { port = '', host = '127.0.0.1' } = parseArgs({ options }).values
    return /^\d{1,5}$/.test(port) && Number(port) <= 65535 ? { host, port: Number(port) } : undefined
  } catch {
    return undefined
  }
}

const listenAddress = readAddress()
if (listenAddress === undefined) {
  console.error(`The scripted model requires a port and has no options but these: ${usage}`)
  process.exit(2)
}
const { host, port } = listenAddress

// Exits immediately, because a script may be silent for ten minutes.
process.on('SIGTERM', () => process.exit(0))
process.on('SIGINT', () => process.exit(0))

const server = createModelServer()
server.on('error', (error) => {
  console.error(`The scripted model cannot listen on port ${port}: ${error.message}. Select another one: ${usage}`)
  process.exit(1)
})
server.listen(port, host, () => {
  const address = server.address()
  console.log(`ready http://${host}:${typeof address === 'object' ? address?.port : port}`)
})
