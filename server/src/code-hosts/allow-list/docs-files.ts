/** Which files an agent may write: pages, images and navigation data. Nothing that a build executes. */
import { canonicalizeName } from './path-names.ts'

const pageExtensions = new Set(['md', 'mdx', 'markdown', 'rst', 'adoc', 'asciidoc'])

// Not svg: it can contain scripts, and sites serve it from their own origin. Not html, for the same reason.
const imageExtensions = new Set(['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'ico'])

// Files that only define the order of pages. Not mkdocs.yml, book.toml, antora.yml, conf.py or _quarto.yml: they also name
// commands and plugins that the build runs. Not .txt in general: requirements.txt is one.
const navigationNames = new Set([
  '_meta.json',
  'meta.json',
  'docs.json',
  'mint.json',
  'nav.json',
  'navigation.json',
  'toc.json',
  'sidebar.json',
  'sidebars.json',
  '_category_.json',
  '_category_.yml',
  '_category_.yaml',
  'toc.yml',
  'toc.yaml',
  '_toc.yml',
  'nav.yml',
  'nav.yaml',
  'navigation.yml',
  'sidebar.yml',
  'sidebar.yaml',
  '.pages',
  '.nav.yml',
  '.order',
  'llms.txt',
  'llms-full.txt',
])

export const isDocsFile = (name: string): boolean =>
  navigationNames.has(name) || isPage(name) || imageExtensions.has(extensionOf(name))

export const isPage = (name: string): boolean => pageExtensions.has(extensionOf(name))

const extensionOf = (name: string): string => /[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

export const isHiddenNavigationFile = (name: string): boolean => name.startsWith('.') && navigationNames.has(name)

const ciFolders = ['github', 'gitlab', 'gitea', 'forgejo', 'circleci', 'woodpecker', 'buildkite', 'semaphore', 'tekton']
const ciFolder = new RegExp(`^\\.(${ciFolders.join('|')})$`)
const ciFile =
  /^(jenkinsfile|\.?(gitlab-ci|travis|appveyor|drone|cirrus|woodpecker|azure-pipelines|bitbucket-pipelines|buildspec|cloudbuild)\.(ya?ml|json|star))$/

// Files that agents read as instructions: a change would outlive the pull request and affect every later agent. The pattern
// is case-sensitive because a page about agents is called agents.md.
const agentInstructions = /^(AGENTS?|CLAUDE|CRUSH|GEMINI|QWEN|SKILL|WARP)(\.\w+)?\.[mM][dD]$/

const gitConfiguration = /^(\.git(modules|attributes|ignore|config)|\.mailmap|\.lfsconfig)$/
/** Their NTFS short names. */
const shortGitConfiguration = /^(gitmod|gitatt|gitign|mailma|gi[0-9a-f]{4})~\d+$/

export type ProtectedFileKind = 'ci_file' | 'codeowners' | 'agent_instructions' | 'git_configuration'

export function findProtectedFileKind(component: string): ProtectedFileKind | undefined {
  if (agentInstructions.test(component)) return 'agent_instructions'
  const folded = canonicalizeName(component)
  if (ciFolder.test(folded) || ciFile.test(folded)) return 'ci_file'
  if (folded === 'codeowners') return 'codeowners'
  if (gitConfiguration.test(folded) || shortGitConfiguration.test(folded)) return 'git_configuration'
  return undefined
}
