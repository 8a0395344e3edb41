import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Whether a changed source passes the type checker. A program is made once, and looks at one changed file at a time. */
export class Compiler {
  readonly #changed = new Map<string, { source: string; version: number }>();
  readonly #service: ts.LanguageService;
  readonly #checkout: string;
  #version = 0;

  constructor(checkout: string, files: string[]) {
    this.#checkout = checkout;
    const config = ts.readConfigFile(join(checkout, 'tsconfig.base.json'), ts.sys.readFile);
    const { options } = ts.convertCompilerOptionsFromJson(config.config.compilerOptions, checkout);
    // What packages without types of their own are declared by.
    const declarations = globSync('{packages,services}/*/src/**/*.d.ts', { cwd: checkout });
    const read = (file: string): string | undefined => this.#changed.get(file)?.source ?? ts.sys.readFile(file);
    this.#service = ts.createLanguageService({
      useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
      fileExists: ts.sys.fileExists,
      readDirectory: ts.sys.readDirectory,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
      ...(ts.sys.realpath && { realpath: ts.sys.realpath }),
      getCompilationSettings: () => ({ ...options, types: ['node'] }),
      getScriptFileNames: () => [...files, ...declarations].map((file) => join(checkout, file)),
      getScriptVersion: (file) => String(this.#changed.get(file)?.version ?? 0),
      getScriptSnapshot: (file) => {
        const text = read(file);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => checkout,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      readFile: read,
    });
  }

  /** @returns the first error of the changed file */
  errorOf(file: string, source: string): string | undefined {
    const path = join(this.#checkout, file);
    this.#changed.set(path, { source, version: ++this.#version });
    const [first] = [...this.#service.getSyntacticDiagnostics(path), ...this.#service.getSemanticDiagnostics(path)];
    this.#changed.set(path, { source: readFileSync(path, 'utf8'), version: ++this.#version });
    return first && ts.flattenDiagnosticMessageText(first.messageText, ' ');
  }
}
