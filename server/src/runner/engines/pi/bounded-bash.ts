/**
 * Loaded by pi, in the box. pi keeps all that a command prints in a file under /tmp and dies when there is no more room for
 * it: seen with `yes`, on a quick machine. So it hears the beginning and the end, and the command may print on.
 */
import type { BashOperations, ExtensionAPI } from '@earendil-works/pi-coding-agent'

const bundle = '/engine/node_modules/@earendil-works/pi-coding-agent/dist/bundle/index.js'
const pi: typeof import('@earendil-works/pi-coding-agent') = await import(bundle)

const mostBeginningBytes = 4 * 1024 * 1024
const mostEndBytes = 64 * 1024 // more than the model is shown

export default function boundBash(api: ExtensionAPI): void {
  const local = pi.createLocalBashOperations()
  const operations: BashOperations = {
    async exec(command, directory, options) {
      let heardBytes = 0
      let leftOut = false
      let end = Buffer.alloc(0)
      const onData = (chunk: Buffer) => {
        heardBytes += chunk.length
        if (heardBytes <= mostBeginningBytes) return options.onData(chunk)
        leftOut ||= end.length + chunk.length > mostEndBytes
        end = Buffer.concat([end, chunk]).subarray(-mostEndBytes)
      }
      try {
        return await local.exec(command, directory, { ...options, onData })
      } finally {
        if (leftOut) options.onData(Buffer.from('\n[Too much was printed: a part is left out here.]\n'))
        options.onData(end)
      }
    },
  }
  api.registerTool(pi.createBashToolDefinition('/workspace', { operations }))
}
