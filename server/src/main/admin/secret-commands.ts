import { loadSealingPrivateKeys } from '../../platform/config.ts'
import { createOpener, createSealer } from '../../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair } from '../../platform/sealed-secrets/sealing-keys.ts'
import { type CommandGroup, defineCommand } from '../command-line.ts'
import { note, print, withStores } from './admin-io.ts'

export const secretCommands = {
  'sealing-key generate': defineCommand({
    summary: 'Generate a pair of sealing keys and print both settings',
    options: {},
    async run() {
      const { publicEntry, privateEntry } = generateSealingKeyPair()
      note('For api:')
      print(`COLOPHON_SEALING_PUBLIC_KEYS=${publicEntry}`)
      note('For worker and serve. Keep it secret: it opens every stored secret.')
      print(`COLOPHON_SEALING_PRIVATE_KEYS=${privateEntry}`)
    },
  }),

  'secrets reseal': defineCommand({
    summary: 'Seal all stored secrets again with the first of the sealing keys',
    options: {},
    async run() {
      const sealingKeys = loadSealingPrivateKeys()
      await withStores(async ({ audit, credentials, models, githubApps, endpoints }) => {
        const opener = createOpener(sealingKeys)
        const sealer = createSealer(sealingKeys)
        const results = [
          await credentials.resealAll(opener, sealer),
          await models.resealAll(opener, sealer),
          await githubApps.resealAll(opener, sealer),
          await endpoints.resealAll(opener, sealer),
        ]
        const resealed = results.reduce((sum, result) => sum + result.resealed, 0)
        const current = results.reduce((sum, result) => sum + result.current, 0)
        const entry = { action: 'secrets.resealed', subject: 'instance', detail: { resealed, current } } as const
        await audit.recordInstanceEvent({ kind: 'operator' }, entry)
        note(`Secrets resealed: ${resealed}. Secrets already sealed with the current key: ${current}.`)
      })
    },
  }),
} satisfies CommandGroup['commands']
