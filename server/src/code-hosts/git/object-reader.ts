import { type GitCommandOptions, killProcessGroup, startGit } from './run-git.ts'

export type ObjectInfo = { type: string; sizeBytes: number }

export type ObjectReader = {
  /** Cheap, however large the object is. Undefined: the repository has no such object. */
  info(id: string): Promise<ObjectInfo | undefined>
  /** Call `info` first to make sure that the object is small enough. */
  contents(id: string): Promise<Buffer>
  close(): void
}

/** Sends all requests to one `git cat-file` process. Callers must wait for each response before the next request. */
export function openObjectReader(command: Pick<GitCommandOptions, 'gitDirectory' | 'signal'>): ObjectReader {
  const child = startGit({ ...command, args: ['cat-file', '--batch-command'] })
  const responses = readResponses(child.stdout, command.signal)
  child.stderr.resume()

  async function send(request: string): Promise<string> {
    child.stdin.write(`${request}\n`)
    return (await responses.until(0x0a)).toString('latin1')
  }

  return {
    async info(id) {
      const [, type = '', sizeBytes] = (await send(`info ${id}`)).split(' ')
      return sizeBytes === undefined ? undefined : { type, sizeBytes: Number(sizeBytes) }
    },
    async contents(id) {
      const [, , sizeBytes] = (await send(`contents ${id}`)).split(' ')
      if (sizeBytes === undefined) throw new Error(`git has no object ${id}`)
      const contents = await responses.exactly(Number(sizeBytes))
      await responses.exactly(1) // the newline after it
      return contents
    },
    close: () => killProcessGroup(child),
  }
}

function readResponses(stream: NodeJS.ReadableStream, signal: AbortSignal) {
  let buffered: Buffer = Buffer.alloc(0)
  const chunks = stream[Symbol.asyncIterator]()

  async function nextChunk(): Promise<Buffer> {
    const next = await chunks.next()
    if (next.done) {
      signal.throwIfAborted() // git was killed by the signal
      throw new Error('git cat-file exited too early')
    }
    return next.value as Buffer
  }
  function consume(sizeBytes: number): Buffer {
    const bytes = buffered.subarray(0, sizeBytes)
    buffered = buffered.subarray(sizeBytes)
    return bytes
  }
  return {
    async until(byte: number): Promise<Buffer> {
      while (!buffered.includes(byte)) buffered = Buffer.concat([buffered, await nextChunk()])
      const line = consume(buffered.indexOf(byte))
      consume(1)
      return line
    },
    /** Concatenates once: appending each chunk to the buffer took a minute for 50 MB. */
    async exactly(sizeBytes: number): Promise<Buffer> {
      const parts = [buffered]
      for (let bufferedBytes = buffered.length; bufferedBytes < sizeBytes; ) {
        const chunk = await nextChunk()
        parts.push(chunk)
        bufferedBytes += chunk.length
      }
      buffered = parts.length === 1 ? buffered : Buffer.concat(parts)
      return consume(sizeBytes)
    },
  }
}
