/** Valid bundles with changes that an agent may not make. */
import { encodeUtf8Path } from './craft-commit.ts'
import { craftGitObject, craftTreeObject } from './craft-objects.ts'
import {
  attackedFiles,
  createBlobEntry,
  createBundleWithDocsEntry,
  createBundleWithDocsTree,
  createHostileBundleResult,
  createHostileChangeResult,
  createHostileFileResult,
  type HostileResult,
  harmlessChange,
  missingObjectId,
  pageText,
} from './hostile-result.ts'

const workflow = '.github/workflows/release.yml'
const pageRemoved = { 'docs/guide/start.md': undefined }
const pageEdited = { 'docs/guide/start.md': '# Start here\n' }

const frontMatter = (name: string, hostile: string, harmless: string, path = 'docs/page.md') =>
  createHostileChangeResult('active_content', name, { [path]: hostile }, { [path]: harmless })

export const hostileChanges: readonly HostileResult[] = [
  // Files that run on the host or in CI
  createHostileFileResult('ci_file', '.github/workflows/build.yml'),
  createHostileFileResult('ci_file', 'docs/.github/page.md', 'docs/github/page.md'),
  createHostileFileResult('ci_file', '.Gitea/workflows/build.md'),
  createHostileFileResult('ci_file', '.gitlab-ci.yml'),
  createHostileFileResult('ci_file', '.gitea/workflows/build.yaml'),
  createHostileFileResult('ci_file', '.forgejo/workflows/build.yaml'),
  createHostileFileResult('ci_file', '.circleci/config.yml'),
  createHostileFileResult('ci_file', '.woodpecker/build.yml'),
  createHostileFileResult('ci_file', 'docs/Jenkinsfile', 'docs/Jenkinsfile.md'),
  createHostileFileResult('ci_file', '.travis.yml'),
  createHostileFileResult('ci_file', '.drone.star'),
  createHostileFileResult('ci_file', 'azure-pipelines.yml'),
  createHostileChangeResult('ci_file', 'a workflow edited', { [workflow]: 'on: pull_request_target\n' }, pageEdited),
  createHostileChangeResult('ci_file', 'a workflow removed', { [workflow]: undefined }, pageRemoved),
  createHostileChangeResult(
    'ci_file',
    'a workflow moved to the pages',
    { [workflow]: undefined, 'docs/release.md': attackedFiles[workflow] },
    { 'docs/guide/start.md': undefined, 'docs/start.md': attackedFiles['docs/guide/start.md'] },
  ),
  createHostileFileResult('codeowners', 'CODEOWNERS'),
  createHostileFileResult('codeowners', 'docs/CODEOWNERS', 'docs/codeowners.md'),
  createHostileFileResult('agent_instructions', 'docs/AGENTS.md', 'docs/agents.md'),
  createHostileFileResult('agent_instructions', 'docs/AGENTS.MD', 'docs/agents.MD'),
  createHostileFileResult('agent_instructions', 'docs/CLAUDE.local.md', 'docs/claude.md'),
  createHostileFileResult('agent_instructions', 'docs/guide/QWEN.md', 'docs/guide/qwen.md'),
  createHostileFileResult('git_configuration', '.gitmodules'),
  createHostileFileResult('git_configuration', 'docs/.gitattributes', 'docs/gitattributes.md'),
  createHostileFileResult('git_configuration', 'docs/.gitignore', 'docs/gitignore.md'),
  createHostileFileResult('git_configuration', 'docs/.mailmap', 'docs/mailmap.md'),
  createHostileFileResult('git_configuration', 'docs/.LFSconfig', 'docs/lfsconfig.md'),
  createHostileFileResult('git_configuration', 'docs/gi7eba~1', 'docs/gi7eba.md'),
  createHostileChangeResult(
    'git_configuration',
    'attributes that run a filter',
    { '.gitattributes': '*.md filter=x\n' },
    pageEdited,
  ),
  createHostileChangeResult('git_configuration', '.gitmodules as a symlink', {
    'docs/.gitmodules': { mode: '120000', contents: '../src/main.ts' },
  }),
  createHostileChangeResult('git_configuration', '.gitmodules with a URL that is a command-line option', {
    'docs/.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch /tmp/here\n',
  }),
  frontMatter(
    'a page with JavaScript front matter',
    '---js\n{ title: process.env.TOKEN }\n---\n',
    '---\ntitle: x\n---\n',
  ),
  frontMatter(
    'JavaScript front matter in another spelling',
    '\ufeff--- JavaScript\r\n{}\r\n---\r\n',
    '\ufeff--- yaml\r\na: 1\r\n---\r\n',
  ),
  frontMatter(
    'JavaScript front matter in a page with a long path',
    '---js\n',
    '---json\n',
    `docs/${'a'.repeat(190)}/${'b'.repeat(190)}.md`,
  ),
  frontMatter(
    'CoffeeScript front matter in an existing page',
    '---coffee\na: 1\n---\n',
    '---toml\na = 1\n---\n',
    'docs/index.md',
  ),

  // Not a regular file
  createHostileChangeResult('submodule', 'a submodule', { 'docs/other': { mode: '160000', id: missingObjectId } }),
  createHostileChangeResult('submodule', 'a submodule at another commit', {
    'docs/vendored': { mode: '160000', id: craftGitObject('blob', pageText).id },
  }),
  createHostileChangeResult('submodule', 'a submodule removed', { 'docs/vendored': undefined }, pageRemoved),
  createHostileChangeResult('submodule', 'a submodule turned into a folder', {
    'docs/vendored': undefined,
    'docs/vendored/page.md': pageText,
  }),
  createHostileChangeResult('submodule', 'a folder turned into a submodule', {
    ...pageRemoved,
    'docs/guide': { mode: '160000', id: missingObjectId },
  }),
  createHostileChangeResult('symlink', 'a symlink', {
    'docs/passwords.md': { mode: '120000', contents: '/etc/passwd' },
  }),
  createHostileChangeResult('symlink', 'a page turned into a symlink', {
    'docs/index.md': { mode: '120000', contents: '../README.md' },
  }),
  createHostileChangeResult('symlink', 'a folder turned into a symlink', {
    ...pageRemoved,
    'docs/guide': { mode: '120000', contents: '../.github' },
  }),
  createHostileChangeResult('symlink', 'a symlink with another target', {
    'docs/latest': { mode: '120000', contents: '../.github' },
  }),
  createHostileChangeResult('symlink', 'a symlink removed', { 'docs/latest': undefined }, pageRemoved),
  createHostileChangeResult('symlink', 'a symlink turned into a folder', {
    'docs/latest': undefined,
    'docs/latest/page.md': pageText,
  }),
  createHostileChangeResult('executable', 'an executable page', {
    'docs/run.md': { mode: '100755', contents: pageText },
  }),
  createHostileChangeResult('executable', 'a page made executable', {
    'docs/guide/start.md': { mode: '100755', contents: '# Start\n' },
  }),
  createHostileChangeResult('executable', 'an executable page edited', {
    'docs/tool.md': { mode: '100755', contents: '# Mine\n' },
  }),
  ...['100664', '100666', '100000', '140000', '10000000100644', '40000000120000'].map((mode) =>
    createHostileChangeResult('unsupported_mode', `mode ${mode}`, { 'docs/page.md': { mode, contents: pageText } }),
  ),

  // .git, as file systems interpret names
  ...['docs/.git/config', 'docs/.GIT/config', 'docs/.git./config', 'docs/.git /config', 'docs/git~1/config'].map(
    (path) => createHostileFileResult('dot_git', path, 'docs/git/config.md'),
  ),
  ...['.g\u200cit', '\u200e.git', '.git\u2060', '.GI\ufeffT', '.git::$INDEX_ALLOCATION', '．git', 'GIT~2'].map((name) =>
    createHostileFileResult('dot_git', `docs/${name}/config`, 'docs/git/config.md'),
  ),
  ...['\u2024git', '.g\u0131t', '.git. . ', '.git:x.md'].map((name) =>
    createHostileFileResult('dot_git', `docs/${name}/config.md`, 'docs/git/config.md'),
  ),
  createHostileFileResult('dot_git', 'docs/.git\\config.md', 'docs/git-config.md'),
  createHostileFileResult('dot_git', 'docs/a\\.git\\config.md', 'docs/a-git-config.md'),
  createHostileFileResult('dot_git', '.git/hooks/post-checkout', 'docs/git/hooks.md'),

  // Names that are not what they look like
  createHostileFileResult('control_character', 'docs/a\nb.md'),
  createHostileFileResult('control_character', 'docs/a\tb.md'),
  createHostileFileResult('control_character', 'docs/\u001b[2Jpage.md'),
  createHostileFileResult('control_character', 'docs/a\u007f.md'),
  createHostileFileResult('control_character', 'docs/a\u0085.md'),
  createHostileFileResult('unsafe_unicode', 'docs/a\u202egnp.md'),
  createHostileFileResult('unsafe_unicode', 'docs/a\u200bb.md'),
  createHostileFileResult('unsafe_unicode', 'docs/a\u00a0b.md', 'docs/a b.md'),
  createHostileFileResult('unsafe_unicode', 'docs/\u{e0041}.md'),
  createHostileFileResult('unsafe_unicode', 'docs/\ue000.md'),
  createHostileFileResult('unsafe_unicode', 'docs/\ufeffindex.md'),
  createHostileFileResult('unsafe_unicode', 'docs／page.md'),
  createHostileFileResult('unsafe_unicode', 'docs/..\u2215..\uff0fpage.md'),
  createHostileFileResult('not_normalized', 'docs/cafe\u0301.md', 'docs/caf\u00e9.md'),
  createHostileChangeResult(
    'not_utf8',
    'a name in Latin-1',
    { 'docs/caf\u00e9.md': pageText },
    { [encodeUtf8Path('docs/caf\u00e9.md')]: pageText },
  ),
  createHostileChangeResult('not_utf8', 'an overlong encoding of a slash', {
    'docs/..\u00c0\u00af..\u00c0\u00afpage.md': pageText,
  }),
  createHostileChangeResult('not_utf8', 'half a surrogate pair', { 'docs/\u00ed\u00a0\u0080.md': pageText }),
  createHostileFileResult('reserved_name', 'docs/con.md', 'docs/console.md'),
  createHostileFileResult('reserved_name', 'docs/LPT1.png'),
  createHostileFileResult('reserved_name', 'docs/com¹/page.md', 'docs/com/page.md'),
  createHostileFileResult('unsafe_character', 'docs/a:b.md'),
  createHostileFileResult('unsafe_character', 'docs/a\\b.md'),
  createHostileFileResult('unsafe_character', 'docs/$(id).md'),
  createHostileFileResult('unsafe_character', 'docs/`id`.md'),
  createHostileFileResult('unsafe_character', 'docs/-rf.md'),
  createHostileFileResult('unsafe_character', 'docs/--exec=id/page.md', 'docs/exec=id/page.md'),
  createHostileFileResult('unsafe_character', 'docs/page.md '),
  createHostileFileResult('unsafe_character', 'docs/page.md::$DATA'),
  createHostileFileResult('unsafe_character', 'docs/folder./page.md'),
  createHostileFileResult('case_collision', 'docs/INDEX.md'),
  createHostileFileResult('case_collision', 'docs/\uff49ndex.md'),
  createHostileFileResult('case_collision', 'docs/\u0131ndex.md'),
  createHostileFileResult('case_collision', 'docs/Guide/other.md', 'docs/guide/other.md'),
  createHostileChangeResult('case_collision', 'two new pages whose names collide', {
    [encodeUtf8Path('docs/straße.md')]: pageText,
    'docs/STRASSE.md': pageText,
  }),
  createHostileFileResult('path_too_long', `docs/${'a'.repeat(210)}.md`, `docs/${'a'.repeat(190)}.md`),
  createHostileFileResult('path_too_long', `docs/${'a'.repeat(100_000)}.md`),
  createHostileFileResult(
    'path_too_long',
    `docs/${`${'a'.repeat(150)}/`.repeat(4)}page.md`,
    `docs/${'a'.repeat(150)}/page.md`,
  ),
  createHostileFileResult('path_too_deep', `docs/${'a/'.repeat(35)}page.md`, `docs/${'a/'.repeat(20)}page.md`),
  createHostileBundleResult('path_traversal', 'a directory named ..', (base) => {
    const up = craftTreeObject([createBlobEntry('page.md', pageText)])
    return createBundleWithDocsTree(base, craftTreeObject([{ mode: '40000', name: '..', id: up.id }]), [
      up,
      craftGitObject('blob', pageText),
    ])
  }),
  ...['.', '/etc/page.md', '../page.md', 'guide/other.md'].map((name) =>
    createHostileBundleResult('path_traversal', `an entry named ${name}`, (base) =>
      createBundleWithDocsEntry(base, createBlobEntry(name, pageText), [craftGitObject('blob', pageText)]),
    ),
  ),

  // Outside the docs folder, or another file type
  createHostileChangeResult('outside_docs_folder', 'a change outside the docs folder', { 'README.md': '# Mine\n' }),
  createHostileChangeResult(
    'outside_docs_folder',
    'a file removed outside the docs folder',
    { 'src/main.ts': undefined },
    pageRemoved,
  ),
  createHostileChangeResult(
    'outside_docs_folder',
    'a page moved out of the docs folder',
    { ...pageRemoved, 'src/start.md': attackedFiles['docs/guide/start.md'] },
    { ...pageRemoved, 'docs/start.md': attackedFiles['docs/guide/start.md'] },
  ),
  createHostileFileResult('outside_docs_folder', 'docs-too/page.md'),
  createHostileFileResult('unsupported_file_type', 'docs/page.html'),
  createHostileFileResult('unsupported_file_type', 'docs/image.eps', 'docs/image.webp'),
  createHostileFileResult('unsupported_file_type', 'docs/page.md.js', 'docs/page.js.md'),
  createHostileFileResult('unsupported_file_type', 'docs/conf.py'),
  createHostileFileResult('unsupported_file_type', 'docs/requirements.txt', 'docs/llms.txt'),
  createHostileFileResult('unsupported_file_type', 'docs/package.json', 'docs/page.md'),
  createHostileFileResult('unsupported_file_type', 'docs/mkdocs.yml', 'docs/mkdocs.md'),
  createHostileFileResult('unsupported_file_type', 'docs/_config.yml', 'docs/nav.yml'),
  createHostileChangeResult(
    'unsupported_file_type',
    'a page turned into a folder',
    { 'docs/index.md': undefined, 'docs/index.md/page': pageText },
    { 'docs/index.md': undefined, 'docs/index/page.md': pageText },
  ),
  createHostileChangeResult(
    'unsupported_file_type',
    'a folder turned into a file',
    { ...pageRemoved, 'docs/guide': pageText },
    pageRemoved,
  ),
  createHostileFileResult('hidden_file', 'docs/.vitepress/page.md', 'docs/.pages'),
  createHostileFileResult('hidden_file', 'docs/.nav.yml/page.md', 'docs/.nav.yml'),
  createHostileFileResult('hidden_file', 'docs/.md', 'docs/a.md'),

  // Hidden among allowed changes
  createHostileChangeResult('ci_file', 'one workflow among 200 pages', {
    ...Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`docs/many/page-${index}.md`, pageText])),
    '.gitea/workflows/build.yaml': 'on: push\n',
  }),
  createHostileChangeResult('executable', 'the same page twice, once executable', {
    ...harmlessChange,
    'docs/run.md': { mode: '100755', contents: pageText },
  }),
]
