/**
 * The letters that Elasticsearch's filter `asciifolding` replaces, and `foldText` does not: each replacement with its
 * letters. Some become capitals, because the filter `lowercase` comes before.
 */
const REPLACED = `A=ᴀ a=əⱥɐɚᶏᶕ B=ʙᴃ b=ƀɓƃᵬᶀ C=ʗᴄ c=ƈȼɕↄꜿ D=ᴅᴆ d=ɖɗƌȡᵭᶁᶑꝺ E=ᴇⱻ e=ǝɛɇɘɜɝɞʚᴈᶒᶓᶔⱸ F=ꜰꟻ f=ƒᵮᶂꝼ G=ǥɢʛ g=ɠɡᵷᵹᶃꝿ H=ʜ
   h=ɥɦʮʯⱨⱶ I=ɪᵻꟾ i=ɨᴉᵼᶖ J=ᴊ j=ȷɉɟʄʝ K=ᴋ k=ƙʞᶄⱪꝁꝃꝅ L=ʟᴌ l=ƚȴɫɬɭᶅⱡꝇꝉꞁ M=ᴍꟽꟿ m=ɯɰɱᵯᶆ N=ɴᴎ n=ŋɲƞȵɳᵰᶇ O=ᴏᴐ o=ɔɵᴖᴗᶗⱺꝋꝍ
   P=ᴘ p=ƥᵱᵽᶈꝑꝓꝕꟼ q=ĸɋʠꝗꝙ R=ʀʁᴙᴚ r=ɍɼɽɾɿᵲᵳᶉꝛꞃ S=ꜱꞅ s=ȿʂᵴᶊẜẝ T=ᴛ t=ƫƭʈȶⱦʇᵵ U=ᴜᵾ u=ʉᶙ V=ᴠ v=ʋʌᶌⱱⱴꝟ W=ᴡ w=ƿʍⱳ x=ᶍ
   Y=ʏ y=ƴɏʎỿ Z=ᴢ z=ƶȝȥɀʐʑᵶᶎⱬꝣ aa=ꜳ AE=ᴁ ae=ᴂ ao=ꜵ au=ꜷ av=ꜹꜻ ay=ꜽ db=ȸ dz=ʣʥ hv=ƕ ll=ỻ ls=ʪ lz=ʫ OE=ɶ oe=ᴔ oo=ꝏ
   OU=ᴕ ou=ȣ qp=ȹ tc=ʨ th=ᵺꝧ ts=ʦ tz=ꜩ ue=ᵫ vy=ꝡ`;

const REPLACEMENTS = new Map(
  REPLACED.split(/\s+/).flatMap((entry) => {
    const [replacement = '', letters = ''] = entry.split('=');
    return Array.from(letters, (letter): [string, string] => [letter, replacement]);
  }),
);
const RARE_LETTERS = new RegExp(`[${[...REPLACEMENTS.keys()].join('')}]`, 'gu');

/** Completes the folding of a text or a term as the analyzers do. */
export function replaceRareLetters(text: string): string {
  return text.replace(RARE_LETTERS, (letter) => REPLACEMENTS.get(letter) ?? letter);
}
