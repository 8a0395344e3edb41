/** Small numbers in digits, in Roman numerals and in words. "I" and "one" are words with other meanings. */
const WRITTEN = `2=ii=two 3=iii=three 4=iv=four 5=v=five 6=vi=six 7=vii=seven 8=viii=eight 9=ix=nine 10=x=ten 11=xi=eleven
   12=xii=twelve 13=xiii=thirteen 14=xiv=fourteen 15=xv=fifteen 16=xvi=sixteen 17=xvii=seventeen 18=xviii=eighteen
   19=xix=nineteen 20=xx=twenty`;

/** The other ways to write a number, by each of them. */
export const NUMBERS: ReadonlyMap<string, string[]> = new Map(
  WRITTEN.split(/\s+/).flatMap((entry) => {
    const forms = entry.split('=');
    return forms.map((form): [string, string[]] => [form, forms.filter((other) => other !== form)]);
  }),
);
