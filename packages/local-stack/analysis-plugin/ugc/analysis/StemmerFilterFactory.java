package ugc.analysis;

import java.util.Locale;
import java.util.function.UnaryOperator;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishPossessiveFilter;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.elasticsearch.plugin.Inject;
import org.elasticsearch.plugin.NamedComponent;
import org.elasticsearch.plugin.analysis.TokenFilterFactory;

@NamedComponent("stemmer")
public class StemmerFilterFactory implements TokenFilterFactory {

    private final UnaryOperator<TokenStream> stemmer;

    @Inject
    public StemmerFilterFactory(StemmerSettings settings) {
        this.stemmer = stemmerOf(settings.language().isEmpty() ? settings.name() : settings.language());
    }

    @Override
    public TokenStream create(TokenStream tokens) {
        return stemmer.apply(tokens);
    }

    private static UnaryOperator<TokenStream> stemmerOf(String language) {
        return switch (language.toLowerCase(Locale.ROOT)) {
            case "english", "porter" -> PorterStemFilter::new;
            case "possessive_english", "possessiveenglish" -> EnglishPossessiveFilter::new;
            default -> throw new IllegalArgumentException(
                "The stemmer [" + language + "] is not in this local build of Elasticsearch,"
                    + " which knows only [english], [porter] and [possessive_english]."
            );
        };
    }
}
