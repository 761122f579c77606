/** Every function that the package exports is documented with an example, and the examples compile. */
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const sourceFolder = import.meta.dirname
const entryFile = join(sourceFolder, 'index.ts')
const examplesFile = join(sourceFolder, 'all-examples.ts') // exists only in memory

const { config } = ts.readConfigFile(join(sourceFolder, '../tsconfig.build.json'), ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(sourceFolder, '..'))
const compilerOptions: ts.CompilerOptions = { ...options, noEmit: true, declaration: false }

interface DocumentedFunction {
  /** For example `client.jobs.create`. */
  name: string
  description: string
  example: string
}

/** The functions that are exported, and those of the client that `createClient` returns. */
function readFunctions(): DocumentedFunction[] {
  const program = ts.createProgram([entryFile], compilerOptions)
  const checker = program.getTypeChecker()
  const entry = program.getSourceFile(entryFile)
  const module = entry && checker.getSymbolAtLocation(entry)
  if (!module) throw new Error(`${entryFile} exports nothing`)

  const functionsOf = (name: string, symbol: ts.Symbol): DocumentedFunction[] => {
    const type = checker.getTypeOfSymbol(symbol)
    if (type.getCallSignatures().length === 0)
      return type.getProperties().flatMap((property) => functionsOf(`${name}.${property.name}`, property))
    const example = symbol.getJsDocTags(checker).find((tag) => tag.name === 'example')
    return [
      {
        name,
        description: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
        example: ts.displayPartsToString(example?.text),
      },
    ]
  }
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    if (symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Variable)) return functionsOf(symbol.name, symbol)
    if (symbol.name !== 'Client') return []
    return checker
      .getDeclaredTypeOfSymbol(symbol)
      .getProperties()
      .flatMap((property) => functionsOf(`client.${property.name}`, property))
  })
}

const functions = readFunctions()

test('finds the functions of the package', () => {
  const names = functions.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['createClient', 'isColophonError', 'client.me', 'client.jobs.follow']))
  expect(names.length).toBeGreaterThan(90)
})

test.each(functions)('$name is documented with an example that calls it', ({ name, description, example }) => {
  expect(description).not.toBe('')
  expect(example).toContain(`${name}(`)
})

/** What the examples use without declaring it. */
const texts =
  'apiKey projectId jobId keyId memberId personId invitationId runnerId identityId endpointId deliveryId passkeyId sessionId siteKey logDrainId diffSha256 token code state password currentPassword newPassword'
const context = `
import { type Client, createClient, isColophonError } from './index.ts'
import type { AddModelData, AddPasskeyData, ConnectGithubRepositoryData, ConnectRepositoryData, SignInWithPasskeyData } from './index.ts'
declare const client: Client
declare const model: AddModelData['body']
declare const connection: ConnectRepositoryData['body']
declare const choice: ConnectGithubRepositoryData['body']
declare const newPasskey: AddPasskeyData['body']['credential']
declare const assertion: SignInWithPasskeyData['body']
declare const ${texts.replaceAll(' ', ': string, ')}: string
`

test('the examples compile', () => {
  const source = [
    context,
    ...functions.map(({ name, example }) => `// ${name}\nvoid (async () => {\n${example}\n})`),
  ].join('\n')
  const host = ts.createCompilerHost(compilerOptions)
  const { getSourceFile, fileExists } = host
  host.fileExists = (file) => file === examplesFile || fileExists(file)
  host.getSourceFile = (file, languageVersion, ...rest) =>
    file === examplesFile
      ? ts.createSourceFile(file, source, languageVersion, true)
      : getSourceFile(file, languageVersion, ...rest)
  const program = ts.createProgram([examplesFile], compilerOptions, host)
  const problems = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file?.text.slice(0, start).split('\n').length ?? 0
    return `${file?.text.split('\n')[line - 1]}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
  expect(problems).toEqual([])
})
