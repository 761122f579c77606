/** npm run containers: a container runtime with every image that deploy/ needs, until Ctrl-C. */
import { buildColophonImage, type ColophonImage } from './colophon-images.ts'
import { findOrStartContainerRuntime } from './container-runtime.ts'
import { baseImages, ensureBaseImages } from './substitute-images.ts'

const log = (line: string) => console.error(`  ${line}`)
const interrupted = new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve))

const runtime = await findOrStartContainerRuntime(log)
try {
  const substitutes = await ensureBaseImages(runtime, Object.keys(baseImages) as (keyof typeof baseImages)[], log)
  for (const target of ['server', 'runner', 'demo'] satisfies ColophonImage[]) {
    log(`building ${target}`)
    await buildColophonImage(runtime, target)
  }
  console.log('\nThe images are ready: colophon-server:local, colophon-runner:local, colophon-demo:local.')
  if (substitutes.length > 0)
    console.log(
      `These are substitutes, made from packages, not the vendors' images: ${substitutes.map((name) => baseImages[name]).join(', ')}.`,
    )
  if (runtime.isOwn) {
    console.log('\nUse this runtime in another terminal, until Ctrl-C here stops it and removes its data:\n')
    for (const name of ['DOCKER_HOST', 'DOCKER_CONFIG', 'PATH']) console.log(`export ${name}=${runtime.env[name]}`)
    await interrupted
  }
} finally {
  await runtime.stop()
}
