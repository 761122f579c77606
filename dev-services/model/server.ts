import { parseArgs } from 'node:util'
import { createModelServer } from './model-server.ts'

const usage = 'node dev-services/model/server.ts --port <0 to 65535; 0 selects a free one>'

function portFromArguments(): number | undefined {
  try {
    const { port = '' } = parseArgs({ options: { port: { type: 'string' } } }).values
    return /^\d{1,5}$/.test(port) && Number(port) <= 65535 ? Number(port) : undefined
  } catch {
    return undefined
  }
}

const port = portFromArguments()
if (port === undefined) {
  console.error(`The scripted model requires a port and has no other options: ${usage}`)
  process.exit(2)
}

// Exits immediately, because a script may be silent for ten minutes.
process.on('SIGTERM', () => process.exit(0))
process.on('SIGINT', () => process.exit(0))

const server = createModelServer()
server.on('error', (error) => {
  console.error(`The scripted model cannot listen on port ${port}: ${error.message}. Select another one: ${usage}`)
  process.exit(1)
})
server.listen(port, '127.0.0.1', () => {
  const address = server.address()
  console.log(`ready http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`)
})
