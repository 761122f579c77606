/** Sound bundles of changes that are not the agent's to make. */
import { utf8 } from './craft-commit.ts'
import { gitObject, treeObject } from './craft-objects.ts'
import {
  anyId,
  attackedFiles,
  blobEntry,
  bundle,
  change,
  type HostileResult,
  newFile,
  page,
  plain,
  withDocs,
  withEntry,
} from './hostile-result.ts'

const workflow = '.github/workflows/release.yml'
const withoutAPage = { 'docs/guide/start.md': undefined }
const withAnotherPage = { 'docs/guide/start.md': '# Start here\n' }

const frontMatter = (name: string, hostile: string, harmless: string, path = 'docs/page.md') =>
  change('front_matter_code', name, { [path]: hostile }, { [path]: harmless })

export const hostileChanges: readonly HostileResult[] = [
  // What runs on the host or in CI
  newFile('ci_file', '.github/workflows/build.yml'),
  newFile('ci_file', 'docs/.github/page.md', 'docs/github/page.md'),
  newFile('ci_file', '.Gitea/workflows/build.md'),
  newFile('ci_file', '.gitlab-ci.yml'),
  newFile('ci_file', '.gitea/workflows/build.yaml'),
  newFile('ci_file', '.forgejo/workflows/build.yaml'),
  newFile('ci_file', '.circleci/config.yml'),
  newFile('ci_file', '.woodpecker/build.yml'),
  newFile('ci_file', 'docs/Jenkinsfile', 'docs/Jenkinsfile.md'),
  newFile('ci_file', '.travis.yml'),
  newFile('ci_file', '.drone.star'),
  newFile('ci_file', 'azure-pipelines.yml'),
  change('ci_file', 'a workflow edited', { [workflow]: 'on: pull_request_target\n' }, withAnotherPage),
  change('ci_file', 'a workflow removed', { [workflow]: undefined }, withoutAPage),
  change(
    'ci_file',
    'a workflow moved among the pages',
    { [workflow]: undefined, 'docs/release.md': attackedFiles[workflow] },
    { 'docs/guide/start.md': undefined, 'docs/start.md': attackedFiles['docs/guide/start.md'] },
  ),
  newFile('code_owners', 'CODEOWNERS'),
  newFile('code_owners', 'docs/CODEOWNERS', 'docs/codeowners.md'),
  newFile('agent_instructions', 'docs/AGENTS.md', 'docs/agents.md'),
  newFile('agent_instructions', 'docs/AGENTS.MD', 'docs/agents.MD'),
  newFile('agent_instructions', 'docs/CLAUDE.local.md', 'docs/claude.md'),
  newFile('agent_instructions', 'docs/guide/QWEN.md', 'docs/guide/qwen.md'),
  newFile('git_configuration', '.gitmodules'),
  newFile('git_configuration', 'docs/.gitattributes', 'docs/gitattributes.md'),
  newFile('git_configuration', 'docs/.gitignore', 'docs/gitignore.md'),
  newFile('git_configuration', 'docs/.mailmap', 'docs/mailmap.md'),
  newFile('git_configuration', 'docs/.LFSconfig', 'docs/lfsconfig.md'),
  newFile('git_configuration', 'docs/gi7eba~1', 'docs/gi7eba.md'),
  change('git_configuration', 'attributes that run a filter', { '.gitattributes': '*.md filter=x\n' }, withAnotherPage),
  change('git_configuration', '.gitmodules as a link', {
    'docs/.gitmodules': { mode: '120000', contents: '../src/main.ts' },
  }),
  change('git_configuration', '.gitmodules with a URL that is an option', {
    'docs/.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch /tmp/here\n',
  }),
  frontMatter('a page with JavaScript in front', '---js\n{ title: process.env.TOKEN }\n---\n', '---\ntitle: x\n---\n'),
  frontMatter(
    'the same in other letters',
    '\ufeff--- JavaScript\r\n{}\r\n---\r\n',
    '\ufeff--- yaml\r\na: 1\r\n---\r\n',
  ),
  frontMatter(
    'the same at the end of a long path',
    '---js\n',
    '---json\n',
    `docs/${'a'.repeat(190)}/${'b'.repeat(190)}.md`,
  ),
  frontMatter('the same in a page that was there', '---coffee\na: 1\n---\n', '---toml\na = 1\n---\n', 'docs/index.md'),

  // Not a plain file
  change('submodule', 'a submodule', { 'docs/other': { mode: '160000', id: anyId } }),
  change('submodule', 'a submodule at another commit', {
    'docs/vendored': { mode: '160000', id: gitObject('blob', page).id },
  }),
  change('submodule', 'a submodule removed', { 'docs/vendored': undefined }, withoutAPage),
  change('submodule', 'a submodule turned into a folder', {
    'docs/vendored': undefined,
    'docs/vendored/page.md': page,
  }),
  change('submodule', 'a folder turned into a submodule', {
    ...withoutAPage,
    'docs/guide': { mode: '160000', id: anyId },
  }),
  change('link', 'a link', { 'docs/passwords.md': { mode: '120000', contents: '/etc/passwd' } }),
  change('link', 'a page turned into a link', { 'docs/index.md': { mode: '120000', contents: '../README.md' } }),
  change('link', 'a folder turned into a link', {
    ...withoutAPage,
    'docs/guide': { mode: '120000', contents: '../.github' },
  }),
  change('link', 'a link that leads elsewhere', { 'docs/latest': { mode: '120000', contents: '../.github' } }),
  change('link', 'a link removed', { 'docs/latest': undefined }, withoutAPage),
  change('link', 'a link turned into a folder', { 'docs/latest': undefined, 'docs/latest/page.md': page }),
  change('executable', 'an executable page', { 'docs/run.md': { mode: '100755', contents: page } }),
  change('executable', 'a page made executable', { 'docs/guide/start.md': { mode: '100755', contents: '# Start\n' } }),
  change('executable', 'an executable page edited', { 'docs/tool.md': { mode: '100755', contents: '# Mine\n' } }),
  ...['100664', '100666', '100000', '140000', '10000000100644', '40000000120000'].map((mode) =>
    change('odd_mode', `mode ${mode}`, { 'docs/page.md': { mode, contents: page } }),
  ),

  // .git, as file systems read it
  ...['docs/.git/config', 'docs/.GIT/config', 'docs/.git./config', 'docs/.git /config', 'docs/git~1/config'].map(
    (path) => newFile('dot_git', path, 'docs/git/config.md'),
  ),
  ...['.g\u200cit', '\u200e.git', '.git\u2060', '.GI\ufeffT', '.git::$INDEX_ALLOCATION', '．git', 'GIT~2'].map((name) =>
    newFile('dot_git', `docs/${name}/config`, 'docs/git/config.md'),
  ),
  ...['\u2024git', '.g\u0131t', '.git. . ', '.git:x.md'].map((name) =>
    newFile('dot_git', `docs/${name}/config.md`, 'docs/git/config.md'),
  ),
  newFile('dot_git', 'docs/.git\\config.md', 'docs/git-config.md'),
  newFile('dot_git', 'docs/a\\.git\\config.md', 'docs/a-git-config.md'),
  newFile('dot_git', '.git/hooks/post-checkout', 'docs/git/hooks.md'),

  // Names that are not what they seem
  newFile('control_character', 'docs/a\nb.md'),
  newFile('control_character', 'docs/a\tb.md'),
  newFile('control_character', 'docs/\u001b[2Jpage.md'),
  newFile('control_character', 'docs/a\u007f.md'),
  newFile('control_character', 'docs/a\u0085.md'),
  newFile('odd_unicode', 'docs/a\u202egnp.md'),
  newFile('odd_unicode', 'docs/a\u200bb.md'),
  newFile('odd_unicode', 'docs/a\u00a0b.md', 'docs/a b.md'),
  newFile('odd_unicode', 'docs/\u{e0041}.md'),
  newFile('odd_unicode', 'docs/\ue000.md'),
  newFile('odd_unicode', 'docs/\ufeffindex.md'),
  newFile('odd_unicode', 'docs／page.md'),
  newFile('odd_unicode', 'docs/..\u2215..\uff0fpage.md'),
  newFile('not_normalised', 'docs/cafe\u0301.md', 'docs/caf\u00e9.md'),
  change('not_utf8', 'a name in Latin-1', { 'docs/caf\u00e9.md': page }, { [utf8('docs/caf\u00e9.md')]: page }),
  change('not_utf8', 'a slash in two bytes', { 'docs/..\u00c0\u00af..\u00c0\u00afpage.md': page }),
  change('not_utf8', 'half a surrogate pair', { 'docs/\u00ed\u00a0\u0080.md': page }),
  newFile('reserved_name', 'docs/con.md', 'docs/console.md'),
  newFile('reserved_name', 'docs/LPT1.png'),
  newFile('reserved_name', 'docs/com¹/page.md', 'docs/com/page.md'),
  newFile('odd_character', 'docs/a:b.md'),
  newFile('odd_character', 'docs/a\\b.md'),
  newFile('odd_character', 'docs/$(id).md'),
  newFile('odd_character', 'docs/`id`.md'),
  newFile('odd_character', 'docs/-rf.md'),
  newFile('odd_character', 'docs/--exec=id/page.md', 'docs/exec=id/page.md'),
  newFile('odd_character', 'docs/page.md '),
  newFile('odd_character', 'docs/page.md::$DATA'),
  newFile('odd_character', 'docs/folder./page.md'),
  newFile('case_collision', 'docs/INDEX.md'),
  newFile('case_collision', 'docs/\uff49ndex.md'),
  newFile('case_collision', 'docs/\u0131ndex.md'),
  newFile('case_collision', 'docs/Guide/other.md', 'docs/guide/other.md'),
  change('case_collision', 'two new pages in one', { [utf8('docs/straße.md')]: page, 'docs/STRASSE.md': page }),
  newFile('path_too_long', `docs/${'a'.repeat(210)}.md`, `docs/${'a'.repeat(190)}.md`),
  newFile('path_too_long', `docs/${'a'.repeat(100_000)}.md`),
  newFile('path_too_long', `docs/${`${'a'.repeat(150)}/`.repeat(4)}page.md`, `docs/${'a'.repeat(150)}/page.md`),
  newFile('path_too_deep', `docs/${'a/'.repeat(35)}page.md`, `docs/${'a/'.repeat(20)}page.md`),
  bundle('path_traversal', 'a directory named ..', (base) => {
    const up = treeObject([blobEntry('page.md', page)])
    return withDocs(base, treeObject([{ mode: '40000', name: '..', id: up.id }]), [up, gitObject('blob', page)])
  }),
  ...['.', '/etc/page.md', '../page.md', 'guide/other.md'].map((name) =>
    bundle('path_traversal', `an entry named ${name}`, (base) =>
      withEntry(base, blobEntry(name, page), [gitObject('blob', page)]),
    ),
  ),

  // Elsewhere, or something else
  change('outside_docs_folder', 'a change outside the docs folder', { 'README.md': '# Mine\n' }),
  change('outside_docs_folder', 'a file removed outside the docs folder', { 'src/main.ts': undefined }, withoutAPage),
  change(
    'outside_docs_folder',
    'a page moved out of the docs folder',
    { ...withoutAPage, 'src/start.md': attackedFiles['docs/guide/start.md'] },
    { ...withoutAPage, 'docs/start.md': attackedFiles['docs/guide/start.md'] },
  ),
  newFile('outside_docs_folder', 'docs-too/page.md'),
  newFile('file_type', 'docs/page.html'),
  newFile('file_type', 'docs/image.svg', 'docs/image.webp'),
  newFile('file_type', 'docs/page.md.js', 'docs/page.js.md'),
  newFile('file_type', 'docs/conf.py'),
  newFile('file_type', 'docs/requirements.txt', 'docs/llms.txt'),
  newFile('file_type', 'docs/package.json', 'docs/docs.json'),
  newFile('file_type', 'docs/mkdocs.yml', 'docs/toc.yml'),
  newFile('file_type', 'docs/_config.yml', 'docs/nav.yml'),
  change(
    'file_type',
    'a page turned into a folder',
    { 'docs/index.md': undefined, 'docs/index.md/page': page },
    { 'docs/index.md': undefined, 'docs/index/page.md': page },
  ),
  change('file_type', 'a folder turned into a file', { ...withoutAPage, 'docs/guide': page }, withoutAPage),
  newFile('hidden_file', 'docs/.vitepress/page.md', 'docs/.pages'),
  newFile('hidden_file', 'docs/.nav.yml/page.md', 'docs/.nav.yml'),
  newFile('hidden_file', 'docs/.md', 'docs/a.md'),

  // Hidden among what is allowed
  change('ci_file', 'one workflow among 200 pages', {
    ...Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`docs/many/page-${index}.md`, page])),
    '.gitea/workflows/build.yaml': 'on: push\n',
  }),
  change('executable', 'the same page twice, once executable', {
    ...plain,
    'docs/run.md': { mode: '100755', contents: page },
  }),
]
